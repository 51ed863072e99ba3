// What may name a host: no more than a safe set of characters.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runner/matrix/inventory_names.h"

enum {
	PORT_MAX = 65535,
	PORT_DIGITS_MAX = 5,
};

static bool is_one_of(char c, const char *marks)
{
	return isalnum((unsigned char)c) || (c != '\0' && strchr(marks, c));
}

// `n` letters, digits and marks, beginning with a letter or digit.
static bool is_word(const char *s, size_t n, const char *marks)
{
	if (n == 0 || !isalnum((unsigned char)s[0]))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_one_of(s[i], marks))
			return false;
	}
	return true;
}

static bool is_port(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n > 0 && n <= PORT_DIGITS_MAX && s[n] == '\0' &&
	       strtol(s, NULL, 10) > 0 && strtol(s, NULL, 10) <= PORT_MAX;
}

// The end of an address in brackets, or NULL.
static const char *end_of_address(const char *s)
{
	size_t n;

	for (n = 1; is_one_of(s[n], ":.%-_"); n++)
		;
	return n > 1 && s[n] == ']' ? s + n + 1 : NULL;
}

static const char *end_of_host(const char *s)
{
	size_t n = strcspn(s, ":");

	if (s[0] == '[')
		return end_of_address(s);
	return is_word(s, n, "._-") ? s + n : NULL;
}

bool inventory_is_destination(const char *text)
{
	const char *at = strchr(text, '@'), *end;

	if (strlen(text) > INVENTORY_DESTINATION_MAX)
		return false;
	if (at != NULL && !is_word(text, (size_t)(at - text), "._+-"))
		return false;
	end = end_of_host(at != NULL ? at + 1 : text);
	return end != NULL &&
	       (*end == '\0' || (*end == ':' && is_port(end + 1)));
}

bool inventory_is_name(const char *text)
{
	size_t n = strlen(text);

	return n <= INVENTORY_NAME_MAX && is_word(text, n, "._-");
}

bool inventory_is_local(const char *name)
{
	return strcmp(name, INVENTORY_LOCAL) == 0 ||
	       strcmp(name, "localhost") == 0;
}
