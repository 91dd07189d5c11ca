// Builds the CLI as a single file that does not require Node.js, for Linux on x64 and arm64. Node.js 26 copies the
// bundle into a Node.js binary with `--build-sea`, which Node.js 24 does not have. Both targets are built on x64.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { bundle } from './bundle.ts';
import { listPackageFolders, readContents } from './contents.ts';
import { formatNotices } from './documents.ts';
import { download } from './download.ts';

readOptions({
  run: 'npm run build:cli-binary',
  does: 'Builds the CLI in dist/cli-binary as a single file that does not require Node.js, for Linux on x64 and arm64. Runs on Linux x64.',
});

const NODE_VERSION = '26.10.0';
/** The SHA-512 sums of the npm packages that contain Node.js. */
const TARGETS = {
  x64: 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  arm64: 'idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
};
type Target = keyof typeof TARGETS;

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'dist/cli-binary');
const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));
const tempFolder = mkdtempSync(join(tmpdir(), 'halyard-cli-binary-'));

const hashFile = (algorithm: string, encoding: 'base64' | 'hex', file: string): string =>
  createHash(algorithm).update(readFileSync(file)).digest(encoding);

/** Downloads Node.js for a target, and returns the folder of the unpacked package. */
async function downloadNode(target: Target): Promise<string> {
  const packageFolder = await download({ name: `node-linux-${target}`, version: NODE_VERSION }, tempFolder);
  const [file = ''] = readdirSync(packageFolder).filter(name => name.endsWith('.tgz'));
  if (hashFile('sha512', 'base64', join(packageFolder, file)) !== TARGETS[target])
    throw new Error(`The checksum of ${file} is wrong. Its content has changed since we chose this version.`);
  return packageFolder;
}

function buildBinary(builder: string, node: string, output: string, isNative: boolean): void {
  const config = join(tempFolder, 'sea.json');
  writeFileSync(
    config,
    JSON.stringify({
      main: join(tempFolder, 'halyard.js'),
      mainFormat: 'module',
      executable: node,
      output,
      disableExperimentalSEAWarning: true,
      // A code cache halves the CPU time at startup, but only works on the architecture that compiled it.
      useCodeCache: isNative,
      // NODE_OPTIONS is for the user's own programs, not for `halyard`.
      execArgvExtension: 'none',
    }),
  );
  execFileSync(builder, ['--build-sea', config], { stdio: 'inherit' });
}

try {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = await bundle({
    root,
    folder: tempFolder,
    entries: { halyard: 'cli/src/run.ts' },
    maps: 'none',
    inOneFile: true,
  });
  const notices = formatNotices(readContents(listPackageFolders(modules)));
  const nodeFolders = { x64: await downloadNode('x64'), arm64: await downloadNode('arm64') };
  const checksums: string[] = [];
  for (const target of ['x64', 'arm64'] as const) {
    const name = `halyard-${version}-linux-${target}`;
    const contentFolder = join(tempFolder, name);
    mkdirSync(contentFolder);
    buildBinary(
      join(nodeFolders.x64, 'bin/node'),
      join(nodeFolders[target], 'bin/node'),
      join(contentFolder, 'halyard'),
      target === 'x64',
    );
    copyFileSync(join(root, 'LICENSE'), join(contentFolder, 'LICENSE'));
    copyFileSync(join(nodeFolders[target], 'LICENSE'), join(contentFolder, 'NODE-LICENSE'));
    writeFileSync(join(contentFolder, 'THIRD-PARTY-NOTICES.txt'), notices);
    const archive = join(folder, `${name}.tar.gz`);
    execFileSync('tar', ['-czf', archive, '--owner=0', '--group=0', '-C', tempFolder, name]);
    checksums.push(`${hashFile('sha256', 'hex', archive)}  ${name}.tar.gz\n`);
  }
  writeFileSync(join(folder, 'SHA256SUMS'), checksums.join(''));
  console.log('Built dist/cli-binary.');
} finally {
  rmSync(tempFolder, { recursive: true, force: true });
}
