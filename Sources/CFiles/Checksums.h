#ifndef CHECKSUMS_H
#define CHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

// Checksums by x86-64 instructions that Swift cannot call by name.
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static inline int ferry_has_checksum_instructions(void) {
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) && (c & bit_PCLMUL);
}

__attribute__((target("sse4.2"))) static inline uint32_t ferry_crc32c(
    uint32_t crc, const void *data, size_t count) {
    const uint8_t *bytes = (const uint8_t *)data;
    uint64_t state = crc;
    for (; count >= 8; count -= 8, bytes += 8) {
        uint64_t word;
        __builtin_memcpy(&word, bytes, 8);
        state = _mm_crc32_u64(state, word);
    }
    crc = (uint32_t)state;
    for (; count > 0; count--, bytes++) crc = _mm_crc32_u8(crc, *bytes);
    return crc;
}

__attribute__((target("sse4.2,pclmul"))) static inline __m128i ferry_fold(
    __m128i value, __m128i keys, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(value, keys, 0x00);
    __m128i high = _mm_clmulepi64_si128(value, keys, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// Reduces a multiple of 64 bytes to 16 bytes with the same reflected 64-bit CRC remainder, by carry-less multiplication
// (Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", Intel 2009). The keys are x^575,
// x^511, x^191 and x^127 modulo the polynomial.
__attribute__((target("sse4.2,pclmul"))) static inline void ferry_crc64_fold(
    uint64_t crc, const void *data, size_t count, const uint64_t *keys, void *rest) {
    const __m128i *next = (const __m128i *)data;
    __m128i far = _mm_loadu_si128((const __m128i *)keys);
    __m128i near = _mm_loadu_si128((const __m128i *)(keys + 2));
    __m128i a = _mm_xor_si128(_mm_loadu_si128(next), _mm_cvtsi64_si128((long long)crc));
    __m128i b = _mm_loadu_si128(next + 1);
    __m128i c = _mm_loadu_si128(next + 2);
    __m128i d = _mm_loadu_si128(next + 3);
    for (next += 4, count -= 64; count >= 64; next += 4, count -= 64) {
        a = ferry_fold(a, far, _mm_loadu_si128(next));
        b = ferry_fold(b, far, _mm_loadu_si128(next + 1));
        c = ferry_fold(c, far, _mm_loadu_si128(next + 2));
        d = ferry_fold(d, far, _mm_loadu_si128(next + 3));
    }
    a = ferry_fold(ferry_fold(ferry_fold(a, near, b), near, c), near, d);
    _mm_storeu_si128((__m128i *)rest, a);
}
#else
static inline int ferry_has_checksum_instructions(void) { return 0; }
static inline uint32_t ferry_crc32c(uint32_t crc, const void *data, size_t count) { return crc; }
static inline void ferry_crc64_fold(
    uint64_t crc, const void *data, size_t count, const uint64_t *keys, void *rest) {}
#endif

#endif
