// Reports to the thread sanitizer what Swift's Mutex does in the runtime, which is not instrumented.
//
// On Linux a Mutex that no other thread wants is locked and unlocked by atomics that are compiled into the program; the
// sanitizer sees those. One that is contended is handed on in libswiftSynchronization by the kernel, which it does not
// see: it then takes everything a mutex protects for a race. This library stands before these three functions and says
// what they do; nothing is suppressed. Loaded with LD_PRELOAD by `Tests/run --sanitize`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

// In the sanitizer's runtime, which the program brings; missing in programs that it starts.
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
