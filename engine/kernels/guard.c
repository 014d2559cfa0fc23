/* Guard for mapped files. A file that is cut while it is mapped answers the next
 * read of a vanished page with SIGBUS. In Go code the runtime turns that into a
 * panic that can be recovered; in C code it can only forward it to the handler
 * that was there before it (os/signal, "Go programs that use cgo"). This is that
 * handler: it puts zeros in the place of a guarded mapping and notes the loss, so
 * that the kernel that read there finishes, with numbers nobody will use.
 *
 * It is the one exception to the rule that C here keeps no state. The handler
 * makes one system call, mmap, and touches atomics only. */
/* -std=c11 hides these: SA_ONSTACK, MAP_ANONYMOUS. */
#define _DEFAULT_SOURCE 1
#define _DARWIN_C_SOURCE 1
#include "guard.h"

#if defined(__unix__) || defined(__APPLE__)

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

enum { SLOTS = 64 };

/* start is 0 in a free slot, and end is 0 while a slot is being filled or emptied. */
static struct {
	atomic_uintptr_t start, end;
	atomic_int lost;
} slots[SLOTS];

static struct sigaction before;

static void on_bus(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int saved = errno;
	for (int i = 0; i < SLOTS; i++) {
		uintptr_t start = atomic_load(&slots[i].start), end = atomic_load(&slots[i].end);
		if (start == 0 || at < start || at >= end)
			continue;
		void *p = mmap((void *)start, end - start, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			break;
		atomic_store(&slots[i].lost, 1);
		errno = saved;
		return;
	}
	errno = saved;
	if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction) {
		before.sa_sigaction(sig, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(sig);
	} else {
		signal(sig, SIG_DFL); /* the read is tried again and ends the process */
	}
}

/* Before main, that is before the Go runtime installs its own handler. */
__attribute__((constructor)) static void install(void)
{
	struct sigaction act = {0};
	act.sa_sigaction = on_bus;
	act.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigemptyset(&act.sa_mask);
	sigaction(SIGBUS, &act, &before);
}

int32_t guard_add(uintptr_t start, uint64_t n)
{
	for (int32_t i = 0; i < SLOTS; i++) {
		uintptr_t none = 0;
		if (!atomic_compare_exchange_strong(&slots[i].start, &none, start))
			continue;
		atomic_store(&slots[i].lost, 0);
		atomic_store(&slots[i].end, start + n);
		return i;
	}
	return -1;
}

int32_t guard_lost(int32_t slot)
{
	return atomic_load(&slots[slot].lost);
}

void guard_remove(int32_t slot)
{
	atomic_store(&slots[slot].end, 0);
	atomic_store(&slots[slot].start, 0);
}

#else /* Windows does not let a mapped file be cut */

int32_t guard_add(uintptr_t start, uint64_t n)
{
	(void)start, (void)n;
	return 0;
}

int32_t guard_lost(int32_t slot)
{
	(void)slot;
	return 0;
}

void guard_remove(int32_t slot)
{
	(void)slot;
}

#endif
