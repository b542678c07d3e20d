// Reports to the thread sanitizer what Swift's Mutex does in the runtime, which is not instrumented.
//
// On Linux an uncontended Mutex is locked and unlocked by atomics that are compiled into the program, which the
// sanitizer sees. A contended one is passed on by the kernel, within libswiftSynchronization, which the sanitizer does
// not see. It then reports everything that the mutex protects as a race. This library wraps the three functions and
// reports what they do; nothing is suppressed. `Tests/run --sanitize` loads it with LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

// These are in the sanitizer's runtime, which is part of the program. Programs that it starts do not have them.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static void *next(const char *name, void **known) {
    void *found = __atomic_load_n(known, __ATOMIC_ACQUIRE);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, found, __ATOMIC_RELEASE);
    }
    return found;
}

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void mutex_lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool mutex_try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void mutex_unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void mutex_lock_slow(uint32_t thread, SELF) {
    static void *known;
    ((SWIFT void (*)(uint32_t, SELF))next(LOCK, &known))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool mutex_try_lock_slow(SELF) {
    static void *known;
    bool locked = ((SWIFT bool (*)(SELF))next(TRY_LOCK, &known))(handle);
    if (locked && __tsan_acquire) __tsan_acquire(handle);
    return locked;
}

SWIFT void mutex_unlock_slow(SELF) {
    static void *known;
    if (__tsan_release) __tsan_release(handle);
    ((SWIFT void (*)(SELF))next(UNLOCK, &known))(handle);
}
