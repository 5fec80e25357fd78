#!/bin/sh
# Compares the report with what it should be.
sh report.sh orders.csv > actual.txt
if diff expected.txt actual.txt; then echo "ok"; else echo "FAILED"; exit 1; fi
