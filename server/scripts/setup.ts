// Reads the options before anything else is loaded, because the required packages may not be installed yet.
import { readOptions } from '../src/platform/command-line.ts';

readOptions({
  run: 'npm run setup',
  does: `Prepares a clone for development: installs the packages, builds the console, creates and migrates the database, adds demo data
and writes .env. It is safe to run again: existing data and secrets are kept.`,
  variables: {
    DATABASE_URL: {
      meaning: 'URL of the database, which setup creates if it is missing',
      default: 'the URL in .env, or postgres://postgres@127.0.0.1:5432/halyard',
    },
  },
});

const { prepareClone } = await import('./prepare-clone.ts');
await prepareClone();
