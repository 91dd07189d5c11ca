#!/usr/bin/env node
// In the syntax of an old Node.js: a version that is too old must get a sentence and not a syntax error.
var found = process.versions.node;
var parts = found.split('.').map(Number);

if (parts[0] < 24 || (parts[0] === 24 && parts[1] < 7)) {
  console.error(`Halyard requires Node.js 24.7 or newer. This is version ${found}. Install a newer one.`);
  process.exit(1);
}

// Before anything else is loaded: most of the time of a start goes into compiling.
require('node:module').enableCompileCache();

void import('../dist/halyard.js');
