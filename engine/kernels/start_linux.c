/* What this program needs of the system's limits before anything of it can run. The Go
 * runtime reserves a gigabyte of address space when it starts and ends with a trace where it
 * does not get them, or a thread; a kernel that runs out of stack ends in a fault. Both
 * limits (ulimit -v, ulimit -s) are known before the runtime starts, so a constructor
 * looks at them: what can be made to fit is, else the process ends with a sentence.
 *
 * With guard.c it is the exception to the rule that C here does no more than arithmetic. */
#define _GNU_SOURCE 1

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	KIB = 1024,
	MIB = 1024 * KIB,
	/* The deepest kernels, those of attention at head dim 256, take 200 kB together
	 * (-fstack-usage, gcc 12), what calls them a few more. */
	LEAST_STACK = 256 * KIB,
	GOOD_STACK = MIB,
};

/* The runtime of Go 1.26 reserves 585 MiB for its page summaries and 512 for its scavenge
 * index (runtime/mpagealloc_64bit.go) and does not notice when it is refused the second.
 * Measured on amd64 with limits 16 MiB apart, five runs each: windowseat --help ends in a
 * trace up to 1,312 MiB, and never from 1,328 on. */
static const rlim_t least_space = 1408ull * MIB;

static void refuse(const char *text)
{
	ssize_t written = write(2, text, strlen(text));
	_exit(written < 0 ? 2 : 1);
}

/* check_stack raises a small stack: that of new threads, which comes from the limit, and
 * that of the first thread, which grows up to it. */
static void check_stack(int limited_space)
{
	struct rlimit l;
	char text[400];
	if (getrlimit(RLIMIT_STACK, &l) != 0)
		return;
	if (l.rlim_cur < GOOD_STACK) {
		struct rlimit more = l;
		more.rlim_cur = l.rlim_max < GOOD_STACK ? l.rlim_max : GOOD_STACK;
		if (setrlimit(RLIMIT_STACK, &more) == 0)
			l = more;
	}
	if (l.rlim_cur < LEAST_STACK) {
		snprintf(text, sizeof text,
			 "windowseat: the stack is limited to %llu KiB (ulimit -s), %d are needed; raise or lift the limit\n"
			 "windowseat: 栈被限制在 %llu KiB（ulimit -s），至少要 %d；请放宽或取消限制\n",
			 (unsigned long long)l.rlim_cur / KIB, LEAST_STACK / KIB, (unsigned long long)l.rlim_cur / KIB, LEAST_STACK / KIB);
		refuse(text);
	}
#ifdef __GLIBC__
	pthread_attr_t a;
	size_t n = 0;
	if (pthread_getattr_default_np(&a) != 0)
		return;
	pthread_attr_getstacksize(&a, &n);
	/* Where address space is scarce, the threads need not have 8 MiB each. */
	if ((n < GOOD_STACK || limited_space) && pthread_attr_setstacksize(&a, GOOD_STACK) == 0)
		pthread_setattr_default_np(&a);
	pthread_attr_destroy(&a);
#else
	(void)limited_space;
#endif
}

__attribute__((constructor)) static void check_limits(void)
{
	struct rlimit l;
	char text[400];
	int limited = getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur != RLIM_INFINITY;
	if (limited && l.rlim_cur < least_space) {
		unsigned long long have = l.rlim_cur / MIB, need = least_space / MIB;
		snprintf(text, sizeof text,
			 "windowseat: the address space is limited to %llu MiB (ulimit -v), %llu are needed; raise or lift the limit\n"
			 "windowseat: 地址空间被限制在 %llu MiB（ulimit -v），至少要 %llu；请放宽或取消限制\n",
			 have, need, have, need);
		refuse(text);
	}
#ifdef __GLIBC__
	if (limited)
		mallopt(M_ARENA_MAX, 1); /* C code here allocates nothing; each arena reserves 64 MiB */
#endif
	check_stack(limited);
}
