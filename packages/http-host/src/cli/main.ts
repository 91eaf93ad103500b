#!/usr/bin/env node
/** The command line of the host; so far it only says that there is no host. */
console.error('counterfoil: there is no host yet');
process.exitCode = 1;
