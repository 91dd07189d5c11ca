import { spawn } from 'node:child_process';
import type { Context } from './context.ts';
import { formatDocument, printLine } from './output.ts';

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a console page in the browser. Prints the URL if there is no terminal or no browser opens. */
export async function openPage(context: Context, path = '/'): Promise<void> {
  const url = context.connection().server + path;
  if (context.json || !context.stdout.isTTY)
    return await printLine(context, context.json ? formatDocument({ url }, context) : url);
  await printLine(context, (await openUrl(url)) ? `Opened ${url}` : url);
}

/** Opens a URL in the browser. Returns whether a browser could be started. */
export async function openUrl(url: string): Promise<boolean> {
  const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return await new Promise<boolean>(resolve => {
    // Started without a shell, so the URL is a single argument, no matter what it contains.
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
