#!/bin/sh
# kubectl asks this what could be typed after `kubectl rackwright`; it has to be found as kubectl_complete-rackwright.
exec kubectl-rackwright __complete "$@"
