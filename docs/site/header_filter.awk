# SPDX-License-Identifier: BSD-3-Clause
# Doxygen's input filter. A header opens with a plain comment that says what it is: Doxygen takes it as the
# file's description. Doxygen 1.9 does not know `namespace a::inline b`, so the inline namespace is left out;
# and Sphinx knows no designated initializers. What describes the namespace describes the header that includes
# all others, since Breathe would repeat it on the page of each header.
NR == 1 { print "/// @file"; top = 1; next }
top && /^\/\// { sub(/^\/\//, "///"); print; next }
{ top = 0; sub(/@namespace gossamer/, "@file"); sub(/gossamer::inline v0/, "gossamer"); gsub(/\{\.[a-z_]+ = /, "{"); print }
