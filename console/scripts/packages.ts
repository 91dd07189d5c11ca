import type { Plugin } from 'vite';

/** The path of the package list in the build folder. The server does not serve names that begin with a dot. */
export const PACKAGE_LIST = '.vite/packages.json';

const FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Lists the packages that the console contains, including fonts and styles, for the release's license notices. */
export const listPackages = (): Plugin => ({
  name: 'halyard-list-packages',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle).flatMap(file =>
      file.type === 'chunk' ? Object.keys(file.modules) : file.originalFileNames,
    );
    const folders = files.flatMap(file => FOLDER.exec(file.replaceAll('\0', ''))?.[0] ?? []);
    // Paths relative to the repository make the list the same in every clone.
    const packages = folders.map(folder => folder.slice(folder.indexOf('node_modules/')));
    const source = `${JSON.stringify([...new Set(packages)].toSorted(), null, 2)}\n`;
    this.emitFile({ type: 'asset', fileName: PACKAGE_LIST, source });
  },
});
