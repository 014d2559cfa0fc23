/* See guard.c. */
#ifndef WINDOWSEAT_GUARD_H
#define WINDOWSEAT_GUARD_H

#include <stdint.h>

/* guard_add watches n bytes of a mapping and returns its slot, -1 if all are taken. */
int32_t guard_add(uintptr_t start, uint64_t n);

/* guard_lost tells whether the mapping was replaced by zeros. */
int32_t guard_lost(int32_t slot);

/* guard_remove ends the watch; it must come before the mapping goes. */
void guard_remove(int32_t slot);

#endif
