// Runs generated kernels on the processor: a block's threads are fibers that change places at
// barriers and where a warp exchanges values. Slow, and only there to check meaning without a card.
#define EBB_HOST 1
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __align__(n)
#define __launch_bounds__(...)
#define EBB_SHARED(name) unsigned char* const name = host_shared

struct bf16;
struct f16;

struct Dim {
    unsigned x;
};
static Dim threadIdx, blockIdx;
static unsigned char host_shared[1 << 18] __attribute__((aligned(64)));

enum State { READY, BLOCK, WARP, DONE };
static const int STACK = 1 << 16;
static int host_room = 0;                                     // threads that the arrays below hold
static State* host_states;
static char* host_stacks;
static uint64_t host_slots[1024];
typedef void (*Body)(void** arguments);
static Body host_body;
static void** host_arguments;
static void host_fiber();

#ifdef __x86_64__
// A fiber is the top of its stack: what a call keeps lies on it, then where to go on. That the C
// library's switch asks the system for the signal mask each time takes most of a test's time.
typedef void* Fiber;
extern "C" void host_switch(Fiber* from, Fiber to);
asm(R"(
    .text
    .type host_switch, @function
host_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
static void host_make(Fiber& fiber, char* stack) {
    void** top = (void**)(stack + STACK);
    *--top = 0;                                               // where a call would return to
    *--top = (void*)host_fiber;
    for (int i = 0; i < 6; i++) *--top = 0;
    fiber = top;
}
#else
typedef ucontext_t Fiber;
static void host_switch(Fiber* from, Fiber& to) { swapcontext(from, &to); }
static void host_make(Fiber& fiber, char* stack) {
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = STACK;
    fiber.uc_link = 0;
    makecontext(&fiber, host_fiber, 0);
}
#endif
static Fiber host_main;
static Fiber* host_fibers;

static void host_wait(State s) {
    unsigned own = threadIdx.x;
    host_states[own] = s;
    host_switch(&host_fibers[own], host_main);
    threadIdx.x = own;
}

static void __syncthreads() { host_wait(BLOCK); }
static void __syncwarp() { host_wait(WARP); }

template <class T>
static T host_exchange(T x, int from) {
    unsigned own = threadIdx.x;
    host_slots[own] = 0;
    memcpy(&host_slots[own], &x, sizeof(T));
    host_wait(WARP);
    T y;
    memcpy(&y, &host_slots[(own & ~31u) + from], sizeof(T));
    host_wait(WARP);
    return y;
}
template <class T>
static T __shfl_xor_sync(unsigned, T x, int far) {
    return host_exchange(x, (threadIdx.x & 31) ^ far);
}
template <class T>
static T __shfl_sync(unsigned, T x, int from) {
    return host_exchange(x, from);
}
static unsigned __ballot_sync(unsigned, bool x) {
    unsigned own = threadIdx.x, votes = 0;
    host_slots[own] = x;
    host_wait(WARP);
    for (int l = 0; l < 32; l++) votes |= (unsigned)(host_slots[(own & ~31u) + l] != 0) << l;
    host_wait(WARP);
    return votes;
}

static void host_fiber() {
    host_body(host_arguments);
    host_wait(DONE);
}

static void host_block(int threads) {
    if (threads > host_room) {
        host_room = threads;
        host_fibers = (Fiber*)realloc(host_fibers, threads * sizeof(Fiber));
        host_states = (State*)realloc(host_states, threads * sizeof(State));
        host_stacks = (char*)realloc(host_stacks, (size_t)threads * STACK);
    }
    for (int t = 0; t < threads; t++) {
        host_states[t] = READY;
        host_make(host_fibers[t], &host_stacks[(size_t)t * STACK]);
    }
    for (;;) {
        bool ran = false, left = false;
        for (int t = 0; t < threads; t++) {
            if (host_states[t] != READY) continue;
            threadIdx.x = t;
            host_switch(&host_main, host_fibers[t]);
            ran = true;
        }
        bool all = true;
        for (int w = 0; w < threads; w += 32) {
            bool warp = true;
            for (int t = w; t < w + 32 && t < threads; t++) {
                if (host_states[t] == BLOCK || host_states[t] == READY) warp = false;
                if (host_states[t] == WARP || host_states[t] == READY) all = false;
            }
            if (!warp) continue;
            for (int t = w; t < w + 32 && t < threads; t++)
                if (host_states[t] == WARP) host_states[t] = READY;
        }
        for (int t = 0; t < threads; t++) {
            if (all && host_states[t] == BLOCK) host_states[t] = READY;
            if (host_states[t] != DONE) left = true;
        }
        if (!left) return;
        if (!ran) {
            fprintf(stderr, "deadlock in block %u\n", blockIdx.x);
            abort();
        }
    }
}

static void host_launch(long blocks, int threads, bool fibers, Body body, void** arguments) {
    host_body = body;
    host_arguments = arguments;
    for (long b = 0; b < blocks; b++) {
        blockIdx.x = (unsigned)b;
        if (fibers) {
            host_block(threads);
        } else {
            for (int t = 0; t < threads; t++) {
                threadIdx.x = t;
                body(arguments);
            }
        }
    }
}

template <class T>
static T host_bits(const void* p) {
    T x;
    memcpy(&x, p, sizeof(T));
    return x;
}
static float __uint_as_float(unsigned x) { return host_bits<float>(&x); }
static unsigned __float_as_uint(float x) { return host_bits<unsigned>(&x); }
static double __longlong_as_double(long long x) { return host_bits<double>(&x); }
static long long __double_as_longlong(double x) { return host_bits<long long>(&x); }
static int __ffs(unsigned x) { return __builtin_ffs((int)x); }
static int min(int x, int y) { return x < y ? x : y; }
static int max(int x, int y) { return x > y ? x : y; }
static unsigned atomicAdd(unsigned* p, unsigned x) {
    unsigned before = *p;
    *p += x;
    return before;
}
static unsigned long long atomicCAS(unsigned long long* p, unsigned long long old, unsigned long long now) {
    unsigned long long before = *p;
    if (before == old) *p = now;
    return before;
}

static void await_previous() {}

static float half_to_float(unsigned short bits) { return (float)host_bits<_Float16>(&bits); }
static unsigned short float_to_half(float x) {
    _Float16 h = (_Float16)x;
    return host_bits<unsigned short>(&h);
}
static unsigned short float_to_bfloat(float x) {
    unsigned bits = __float_as_uint(x);
    if (x != x) return (unsigned short)(bits >> 16 | 0x40);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double erfinv(double y) {
    if (y != y || y < -1 || y > 1) return NAN;
    if (fabs(y) == 1) return y * INFINITY;
    if (y == 0) return y;
    double low = -6.5, high = 6.5;
    for (int i = 0; i < 200; i++) {
        double mid = (low + high) / 2;
        bool less = y > 0 ? erfc(mid) > 1 - y : erfc(-mid) < 1 + y;
        (less ? low : high) = mid;
    }
    return (low + high) / 2;
}
static float erfinvf(float y) { return (float)erfinv((double)y); }
static double normcdfinv(double p) {
    if (p != p || p < 0 || p > 1) return NAN;
    if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
    const double tail = p < 0.5 ? p : 1 - p;
    double low = 0, high = 40;
    for (int i = 0; i < 200; i++) {
        double mid = (low + high) / 2;
        (0.5 * erfc(mid * M_SQRT1_2) > tail ? low : high) = mid;
    }
    return (p < 0.5 ? -1 : 1) * (low + high) / 2;
}
static float normcdfinvf(float p) { return (float)normcdfinv((double)p); }

static void copy16(void* to, const void* from) {
    if ((uintptr_t)to % 16 || (uintptr_t)from % 16) {
        fprintf(stderr, "a copy of 16 bytes that is not aligned\n");
        abort();
    }
    memcpy(to, from, 16);
}
static void copy8(void* to, const void* from) { memcpy(to, from, 8); }
static void copy16_if(void* to, const void* from, bool valid) {
    if (valid) copy16(to, from);
    else memset(to, 0, 16);
}
static void copy8_if(void* to, const void* from, bool valid) {
    if (((uintptr_t)to | (uintptr_t)from) % 8) {
        fprintf(stderr, "a copy of 8 bytes that is not aligned\n");
        abort();
    }
    if (valid) memcpy(to, from, 8);
    else memset(to, 0, 8);
}
static void copies_commit() {}
template <int N>
static void copies_wait() {}

// A lane of a fragment gets four bytes of one row of each matrix.
static void load_matrices(unsigned (&r)[4], const void* row) {
    int lane = threadIdx.x & 31;
    for (int i = 0; i < 4; i++) {
        auto from = (const unsigned*)host_exchange((uintptr_t)row, i * 8 + lane / 4);
        r[i] = from[lane % 4];
    }
}
static void load_transposed(unsigned (&r)[4], const void* row) {
    int lane = threadIdx.x & 31;
    for (int i = 0; i < 4; i++) {
        auto low = (const unsigned short*)host_exchange((uintptr_t)row, i * 8 + lane % 4 * 2);
        auto high = (const unsigned short*)host_exchange((uintptr_t)row, i * 8 + lane % 4 * 2 + 1);
        r[i] = low[lane / 4] | (unsigned)high[lane / 4] << 16;
    }
}
static int opaque(int x) { return x; }
static float power_of_two(float x) { return exp2f(x); }
static unsigned tensor_float(float x) {
    unsigned bits = __float_as_uint(x);
    if ((bits & 0x7f800000u) == 0x7f800000u) return bits & ~0x1fffu;
    return (bits + 0x1000u) & ~0x1fffu;
}

// Each lane puts its fragments where all can read them, then sums its own four results.
struct Fragment {
    unsigned a[4], b[2];
};
static Fragment host_fragments[1024];
template <class V>
static void host_multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, int k, V value) {
    unsigned own = threadIdx.x, warp = own & ~31u;
    int lane = own & 31, g = lane / 4, t = lane % 4, half = k / 2;
    memcpy(host_fragments[own].a, a, 16);
    host_fragments[own].b[0] = b0;
    host_fragments[own].b[1] = b1;
    host_wait(WARP);
    for (int e = 0; e < 4; e++) {
        int row = g + e / 2 * 8, column = t * 2 + e % 2;
        double sum = c[e];
        for (int x = 0; x < k; x++) {
            int y = x % half, each = half / 4;
            auto& left = host_fragments[warp + row % 8 * 4 + y / each];
            auto& right = host_fragments[warp + column * 4 + y / each];
            sum += (double)value(left.a[row / 8 + x / half * 2], y % each)
                * value(right.b[x / half], y % each);
        }
        c[e] = (float)sum;
    }
    host_wait(WARP);
}
static void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, const struct bf16*) {
    host_multiply(c, a, b0, b1, 16, [](unsigned x, int i) {
        return __uint_as_float((i ? x >> 16 : x & 0xffff) << 16);
    });
}
static void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, const struct f16*) {
    host_multiply(c, a, b0, b1, 16, [](unsigned x, int i) {
        return half_to_float((unsigned short)(i ? x >> 16 : x));
    });
}
static void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, const float*) {
    host_multiply(
        c, a, b0, b1, 8, [](unsigned x, int) { return __uint_as_float(x & 0xffffe000u); });
}
