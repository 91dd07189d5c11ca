import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ImageConfig } from './image.ts';
import { type ProcessResult, runToEnd } from './package.ts';

const run = promisify(execFile);

export type Container = {
  child: ChildProcess;
  output: () => string;
  /** Runs a program in the container. */
  exec: (args: string[], env?: string[]) => Promise<ProcessResult>;
  /** Returns the process id that the container's first process has on the host. */
  pid: () => Promise<number>;
};

type ContainerOptions = {
  folder: string;
  name: string;
  rootfs: string;
  config: ImageConfig;
  env: Record<string, string>;
  /** Local folders to mount read-only, by their path in the container. */
  mounts: Record<string, string>;
};

/** Starts the image's command with runc, without capabilities and with a read-only root. */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const bundle = join(options.folder, options.name);
  mkdirSync(bundle);
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(buildSpec(options)));
  const runcOptions = ['--root', join(options.folder, 'runc')];
  const child = spawn('runc', [...runcOptions, 'run', '--bundle', bundle, options.name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  await once(child, 'spawn');
  return {
    child,
    output: () => output,
    exec: (args, env = []) =>
      runToEnd('runc', [
        ...runcOptions,
        'exec',
        ...env.flatMap(variable => ['--env', variable]),
        options.name,
        ...args,
      ]),
    pid: async () => JSON.parse((await run('runc', [...runcOptions, 'state', options.name])).stdout).pid,
  };
}

/** Builds the specification that a container engine writes with `--read-only --cap-drop ALL`, but with the network of this machine. */
function buildSpec({ name, rootfs, config, env, mounts }: ContainerOptions) {
  const [uid, gid] = config.User.split(':').map(Number);
  const tmpfs = (destination: string, ...options: string[]) => ({
    destination,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', ...options],
  });
  return {
    ociVersion: '1.0.2',
    hostname: name,
    root: { path: rootfs, readonly: true },
    process: {
      user: { uid, gid },
      args: [...config.Entrypoint, ...config.Cmd],
      cwd: config.WorkingDir,
      env: [...config.Env, ...Object.entries(env).map(([key, value]) => `${key}=${value}`)],
      capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
      noNewPrivileges: true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      tmpfs('/dev', 'strictatime', 'mode=755', 'size=65536k'),
      tmpfs('/dev/shm', 'noexec', 'nodev', 'mode=1777', 'size=65536k'),
      ...Object.entries(mounts).map(([destination, source]) => ({
        destination,
        type: 'bind',
        source,
        options: ['rbind', 'ro'],
      })),
    ],
    linux: {
      cgroupsPath: `/${name}`,
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map(type => ({ type })),
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/sysrq-trigger'],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys'],
    },
  };
}
