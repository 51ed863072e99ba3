// The fake agent as a program: VRUN_AGENT=.../fake_agent VRUN_FAKE=dying@3
#include "tests/fake/agent.h"

int main(void)
{
	const char *script = getenv("VRUN_FAKE");

	return fake_agent(STDIN_FILENO, script != NULL ? script : "good");
}
