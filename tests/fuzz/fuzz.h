// The function that every fuzzer defines, as libFuzzer calls it. It returns 0;
// a finding is a crash, a sanitizer's report or a failed assert.
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
