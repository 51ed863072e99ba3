#include "runner/base/plain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runner/base/compiler.h"

// First byte, and the least code point that takes so many bytes.
static const struct form {
	unsigned char mask, lead;
	size_t bytes;
	uint32_t least;
} forms[] = {
	{ 0x80, 0x00, 1, 0 },
	{ 0xe0, 0xc0, 2, 0x80 },
	{ 0xf0, 0xe0, 3, 0x800 },
	{ 0xf8, 0xf0, 4, 0x10000 },
};

static const struct range {
	uint32_t first, last;
} hostile[] = {
	{ 0x0001, 0x001f }, // C0
	{ 0x007f, 0x009f }, // DEL, C1
	{ 0x061c, 0x061c }, // Arabic letter mark
	{ 0x200e, 0x200f }, // left-to-right and right-to-left mark
	{ 0x2028, 0x202e }, // separators, embeddings, overrides
	{ 0x2066, 0x2069 }, // isolates
};

static const struct form *form_of(unsigned char lead)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if ((lead & forms[i].mask) == forms[i].lead)
			return &forms[i];
	}
	return NULL;
}

static bool is_hostile(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
		if (code >= hostile[i].first && code <= hostile[i].last)
			return true;
	}
	return false;
}

static bool is_scalar(uint32_t code)
{
	return code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
}

// Bytes of the character at `p`, which the end of the text ends, too; 0 when
// it is no UTF-8.
static size_t decode(const char *p, uint32_t *code)
{
	const struct form *f = form_of((unsigned char)*p);

	if (f == NULL)
		return 0;
	*code = (unsigned char)*p & (unsigned char)~f->mask;
	for (size_t i = 1; i < f->bytes; i++) {
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | ((unsigned char)p[i] & 0x3f);
	}
	return *code >= f->least && is_scalar(*code) ? f->bytes : 0;
}

static size_t make_plain(char *text, char kept)
{
	char *to = text;

	for (const char *p = text; *p != '\0';) {
		uint32_t code = 0;
		size_t n = decode(p, &code);

		if (n == 0 || (is_hostile(code) && *p != kept)) {
			*to++ = '?';
		} else {
			memmove(to, p, n);
			to += n;
		}
		p += MAX(n, (size_t)1);
	}
	*to = '\0';
	return (size_t)(to - text);
}

size_t plain_text(char *text)
{
	return make_plain(text, '\0');
}

size_t plain_lines(char *text)
{
	return make_plain(text, '\n');
}
