#!/bin/sh
# Prints the revenue of each product, largest first.
awk -F, '
  NR > 1 && $4 != "cancelled" {
    total[$2] += $3 * $5
  }
  END {
    for (product in total) printf "%s %.2f\n", product, total[product]
  }
' "$1" | sort -k2 -n
