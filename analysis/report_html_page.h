// What every HTML report has: its style (light, dark, print, narrow screens)
// and the script that lets tables be sorted. Nothing is fetched.
#pragma once

extern const char report_html_style[];
extern const char report_html_script[];
