import { existsSync } from 'node:fs';

/** The published package runs compiled JavaScript. A clone runs the sources. */
export const IS_PACKAGE = !import.meta.url.endsWith('.ts');

/** Files and folders that are read while the server runs. The package has them at the same paths. */
const PATHS = {
  manifest: 'package.json',
  apiDocument: 'openapi.json',
  migrations: 'server/migrations/',
  /** Where `npm run build` writes the console. */
  console: 'console/dist/',
  /** Where `npm run build:help` writes the manual. */
  help: 'site/dist/help/',
  /** The sources of the manual. Only a clone has them. */
  docs: 'docs/',
  /** The script of the /docs/ page. Only the published package has it as a file. A clone reads it from the Scalar library. */
  apiPage: 'server/api-page.js',
  /** The rows of the demo's sample data, written by `npm run demo-snapshot`. */
  sampleData: 'server/demo-story.jsonl',
  indexProcess: IS_PACKAGE
    ? 'server/dist/index-process.js'
    : 'server/src/record/event-index/index-process.ts',
};

const MAX_DEPTH = 5;
let root: URL | undefined;

/** Returns the URL of a file, in a clone as well as in the package. */
export function locate(file: keyof typeof PATHS): URL {
  root ??= findRoot();
  return new URL(PATHS[file], root);
}

/** Returns the nearest parent folder that contains the API document. */
function findRoot(): URL {
  for (let depth = 1, folder = new URL('./', import.meta.url); depth <= MAX_DEPTH; depth++) {
    if (existsSync(new URL(PATHS.apiDocument, folder))) return folder;
    folder = new URL('../', folder);
  }
  throw new Error(`No folder above ${import.meta.url} has ${PATHS.apiDocument}. Reinstall Halyard.`);
}

/** Returns how a user runs a command with its options, such as `halyard migrate --help` or `npm run migrate -- --help`. */
export function howToRun(command: string, ...options: string[]): string {
  if (IS_PACKAGE) return ['halyard', command, ...options].filter(part => part !== '').join(' ');
  const script = command === 'server' ? 'npm start' : `npm run ${command}`;
  return options.length === 0 ? script : [script, '--', ...options].join(' ');
}
