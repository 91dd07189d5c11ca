// Adds optional packages for other platforms to the lockfiles of the repository and the site. npm omits a package that the
// configured registry does not have, and `npm ci` then rejects the lockfile that npm itself wrote.
import { readFileSync, writeFileSync } from 'node:fs';

type Entry = {
  version?: string;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
};

for (const file of ['../package-lock.json', '../site/package-lock.json'])
  completeLockfile(new URL(file, import.meta.url));

function completeLockfile(file: URL): void {
  const lock: { packages: Record<string, Entry> } = JSON.parse(readFileSync(file, 'utf8'));
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (lock.packages[`node_modules/${name}`] || lock.packages[`${path}/node_modules/${name}`]) continue;
      lock.packages[`node_modules/${name}`] = {
        version: version.replace(/^[\^~]/, ''),
        ...parsePlatform(name),
        optional: true,
        ...(dev ? { dev } : {}),
      };
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}

/** Reads the platform from the name of a binary package, such as @rolldown/binding-linux-arm64-musl. */
function parsePlatform(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const parts = name.split(/[/-]/);
  const os = ['linux', 'darwin', 'win32', 'android', 'freebsd', 'openharmony'].filter(part =>
    parts.includes(part),
  );
  const cpu = ['x64', 'arm64', 'arm', 'ppc64', 's390x', 'wasm32'].filter(part => parts.includes(part));
  return { ...(os.length > 0 ? { os } : {}), cpu, ...(parts.includes('musl') ? { libc: ['musl'] } : {}) };
}
