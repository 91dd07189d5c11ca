/** The token, the server's URL and the names that a snippet contains. */
export type SnippetOptions = {
  /** The server's URL, without a trailing slash. */
  url: string;
  secret: string;
  /** Only frontend tokens may be in a program that users can read. */
  type: 'backend' | 'frontend';
  appName: string;
  flag: string;
  /** Reports metrics more often than once a minute, for a user who is waiting for them. */
  isTrial?: boolean;
};

export type Snippet = {
  /** The tab label, such as "Node". */
  name: string;
  /** Undefined if this program needs the other token type. */
  text: string | undefined;
};

/** Returns a program for each way to connect. Every program starts even while the server is down, and uses defaults in the meantime. */
export const buildSnippets = (options: SnippetOptions): Snippet[] => {
  const isBackend = options.type === 'backend';
  return [
    { name: 'Node', text: isBackend ? buildNodeProgram(options) : undefined },
    { name: 'Browser', text: isBackend ? undefined : buildBrowserProgram(options) },
    { name: 'React', text: isBackend ? undefined : buildReactProgram(options) },
    {
      name: 'OpenFeature',
      text: isBackend ? buildOpenFeatureProgram(options) : buildOpenFeatureWebProgram(options),
    },
    { name: 'curl', text: buildCurlCommand(options) },
  ];
};

/** Quotes a string as a JavaScript literal. */
const quoteString = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
/** Quotes a string for the shell. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const buildNodeProgram = ({
  url,
  secret,
  appName,
  flag,
  isTrial,
}: SnippetOptions): string => `// npm install unleash-client
import { initialize } from 'unleash-client';

const flags = initialize({
  url: ${quoteString(`${url}/api/`)},
  appName: ${quoteString(appName)},
  customHeaders: {
    Authorization: ${quoteString(secret)},
  },${isTrial ? '\n  metricsInterval: 10_000, // The default is 1 minute.' : ''}
});
// Without an error handler, the program would exit while the server is down.
flags.on('error', error => console.error('flags:', error.message));

// The SDK does not keep the process alive, so this program checks the flag in a loop.
// Your application checks the flag where it needs it.
setInterval(() => {
  console.log(${quoteString(flag)}, flags.isEnabled(${quoteString(flag)}, { userId: '42' }));
}, 2_000);
`;

const renderBrowserSettings = ({ url, secret, appName }: SnippetOptions): string => `{
  url: ${quoteString(`${url}/api/frontend`)},
  clientKey: ${quoteString(secret)},
  appName: ${quoteString(appName)},
  context: { userId: '42' },
  usePOSTrequests: true,
}`;

const buildBrowserProgram = (options: SnippetOptions): string => `// npm install unleash-proxy-client
import { UnleashClient } from 'unleash-proxy-client';

const flags = new UnleashClient(${renderBrowserSettings(options)});
flags.on('error', error => console.warn('flags:', error));
flags.on('update', () => {
  console.log(${quoteString(options.flag)}, flags.isEnabled(${quoteString(options.flag)}));
});
flags.start();
`;

const buildReactProgram = (
  options: SnippetOptions,
): string => `// npm install @unleash/proxy-client-react unleash-proxy-client
import { FlagProvider, useFlag } from '@unleash/proxy-client-react';

const config = ${renderBrowserSettings(options)};

function Checkout() {
  return useFlag(${quoteString(options.flag)}) ? <p>new</p> : <p>old</p>;
}

export const App = () => (
  <FlagProvider config={config}>
    <Checkout />
  </FlagProvider>
);
`;

const renderOfrepSettings = ({ url, secret }: SnippetOptions): string => `{
    baseUrl: ${quoteString(url)},
    headers: [['Authorization', ${quoteString(`Bearer ${secret}`)}]],
  }`;

const buildOpenFeatureProgram = (
  options: SnippetOptions,
): string => `// npm install @openfeature/server-sdk @openfeature/core @openfeature/ofrep-provider @openfeature/ofrep-core@0.1
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';

OpenFeature.setProvider(
  new OFREPProvider(${renderOfrepSettings(options)}),
);
const flags = OpenFeature.getClient();

// False while the server is down.
console.log(
  ${quoteString(options.flag)},
  await flags.getBooleanValue(${quoteString(options.flag)}, false, { targetingKey: '42' }),
);
`;

const buildOpenFeatureWebProgram = (
  options: SnippetOptions,
): string => `// npm install @openfeature/web-sdk @openfeature/core @openfeature/ofrep-web-provider @openfeature/ofrep-core@0.1
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';

await OpenFeature.setContext({ targetingKey: '42' });
OpenFeature.setProvider(
  new OFREPWebProvider(${renderOfrepSettings(options)}),
);
const flags = OpenFeature.getClient();
flags.addHandler(ProviderEvents.Ready, () => {
  console.log(${quoteString(options.flag)}, flags.getBooleanValue(${quoteString(options.flag)}, false));
});
`;

const buildCurlCommand = ({ url, secret, type }: SnippetOptions): string =>
  type === 'backend'
    ? `# All of the token's flags, as a server SDK reads them.
curl -H ${quoteForShell(`Authorization: ${secret}`)} \\
  ${quoteForShell(`${url}/api/client/features`)}
`
    : `# The flags that are enabled for one user, as a browser SDK reads them.
curl -H ${quoteForShell(`Authorization: ${secret}`)} \\
  ${quoteForShell(`${url}/api/frontend?userId=42`)}
`;

export type Piece = { text: string; kind?: 'comment' | 'string' | 'keyword' | 'property' };

const PIECES =
  /(?<comment>^\s*(?:\/\/|#).*$)|(?<string>'(?:\\.|[^'\\])*')|(?<keyword>\b(?:import|from|const|new|await|if|function|return|export)\b)|(?<property>\b\w+(?=:))/gm;

/** Splits a program into pieces, each of which has one color. */
export function splitProgram(program: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of program.matchAll(PIECES)) {
    if (match.index > end) pieces.push({ text: program.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    pieces.push({ text: match[0], kind: kind as Piece['kind'] }); // The groups are named after the kinds.
    end = match.index + match[0].length;
  }
  return [...pieces, { text: program.slice(end) }];
}
