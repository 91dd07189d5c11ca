import { spawn } from 'node:child_process';
import type { Context } from './context.ts';
import { document, printLine } from './output.ts';

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a page of the console in the browser. Without a terminal, or if no browser opens, prints its URL. */
export async function openPage(context: Context, path = '/'): Promise<void> {
  const url = context.connection().server + path;
  if (context.json || !context.stdout.isTTY)
    return await printLine(context, context.json ? document({ url }, context) : url);
  await printLine(context, (await openUrl(url)) ? `Opened ${url}` : url);
}

/** Whether a browser could be started. */
export async function openUrl(url: string): Promise<boolean> {
  const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return await new Promise<boolean>(resolve => {
    // No shell: the URL is one argument, whatever it contains.
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
