/** What a snippet needs: the token and the server's URL. */
export type Target = {
  /** The server's URL, without a trailing slash. */
  url: string;
  secret: string;
  /** Only frontend tokens may be in a program that users can read. */
  type: 'backend' | 'frontend';
  appName: string;
  flag: string;
  /** Reports results more often than once a minute, so that somebody who waits for them sees them soon. */
  isTrial?: boolean;
};

export type Snippet = {
  /** The tab: "Node". */
  name: string;
  /** Undefined: this program needs a token of the other type. */
  text: string | undefined;
};

/** A program for each way to connect. Each of them starts while the server is down, and continues with the defaults of its flags. */
export const snippetsOf = (target: Target): Snippet[] => {
  const isBackend = target.type === 'backend';
  return [
    { name: 'Node', text: isBackend ? node(target) : undefined },
    { name: 'Browser', text: isBackend ? undefined : browser(target) },
    { name: 'React', text: isBackend ? undefined : react(target) },
    { name: 'OpenFeature', text: isBackend ? openFeature(target) : openFeatureInBrowser(target) },
    { name: 'curl', text: curl(target) },
  ];
};

/** A JavaScript literal in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
/** A shell word. */
export const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const node = ({ url, secret, appName, flag, isTrial }: Target): string => `// npm install unleash-client
import { initialize } from 'unleash-client';

const flags = initialize({
  url: ${quoted(`${url}/api/`)},
  appName: ${quoted(appName)},
  customHeaders: {
    Authorization: ${quoted(secret)},
  },${isTrial ? '\n  metricsInterval: 10_000, // The default is a minute.' : ''}
});
// Without this line, a server that is down would end the program.
flags.on('error', error => console.error('flags:', error.message));

// The SDK does not keep a program running, so this one asks again and again.
// Your application asks where it needs the flag.
setInterval(() => {
  console.log(${quoted(flag)}, flags.isEnabled(${quoted(flag)}, { userId: '42' }));
}, 2_000);
`;

const browserSettings = ({ url, secret, appName }: Target): string => `{
  url: ${quoted(`${url}/api/frontend`)},
  clientKey: ${quoted(secret)},
  appName: ${quoted(appName)},
  context: { userId: '42' },
  usePOSTrequests: true,
}`;

const browser = (target: Target): string => `// npm install unleash-proxy-client
import { UnleashClient } from 'unleash-proxy-client';

const flags = new UnleashClient(${browserSettings(target)});
flags.on('error', error => console.warn('flags:', error));
flags.on('update', () => {
  console.log(${quoted(target.flag)}, flags.isEnabled(${quoted(target.flag)}));
});
flags.start();
`;

const react = (target: Target): string => `// npm install @unleash/proxy-client-react unleash-proxy-client
import { FlagProvider, useFlag } from '@unleash/proxy-client-react';

const config = ${browserSettings(target)};

function Checkout() {
  return useFlag(${quoted(target.flag)}) ? <p>new</p> : <p>old</p>;
}

export const App = () => (
  <FlagProvider config={config}>
    <Checkout />
  </FlagProvider>
);
`;

const ofrepSettings = ({ url, secret }: Target): string => `{
    baseUrl: ${quoted(url)},
    headers: [['Authorization', ${quoted(`Bearer ${secret}`)}]],
  }`;

const openFeature = (
  target: Target,
): string => `// npm install @openfeature/server-sdk @openfeature/core @openfeature/ofrep-provider @openfeature/ofrep-core@0.1
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';

OpenFeature.setProvider(
  new OFREPProvider(${ofrepSettings(target)}),
);
const flags = OpenFeature.getClient();

// False while the server is down.
console.log(
  ${quoted(target.flag)},
  await flags.getBooleanValue(${quoted(target.flag)}, false, { targetingKey: '42' }),
);
`;

const openFeatureInBrowser = (
  target: Target,
): string => `// npm install @openfeature/web-sdk @openfeature/core @openfeature/ofrep-web-provider @openfeature/ofrep-core@0.1
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';

await OpenFeature.setContext({ targetingKey: '42' });
OpenFeature.setProvider(
  new OFREPWebProvider(${ofrepSettings(target)}),
);
const flags = OpenFeature.getClient();
flags.addHandler(ProviderEvents.Ready, () => {
  console.log(${quoted(target.flag)}, flags.getBooleanValue(${quoted(target.flag)}, false));
});
`;

const curl = ({ url, secret, type }: Target): string =>
  type === 'backend'
    ? `# All flags of the token, as a server SDK reads them.
curl -H ${inShell(`Authorization: ${secret}`)} \\
  ${inShell(`${url}/api/client/features`)}
`
    : `# The flags that are enabled for one user, as a browser SDK reads them.
curl -H ${inShell(`Authorization: ${secret}`)} \\
  ${inShell(`${url}/api/frontend?userId=42`)}
`;

export type Piece = { text: string; as?: 'comment' | 'text' | 'word' | 'key' };

const PIECES =
  /(?<comment>^\s*(?:\/\/|#).*$)|(?<text>'(?:\\.|[^'\\])*')|(?<word>\b(?:import|from|const|new|await|if|function|return|export)\b)|(?<key>\b\w+(?=:))/gm;

/** The pieces of a program, for colors. */
export function piecesOf(program: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of program.matchAll(PIECES)) {
    if (match.index > end) pieces.push({ text: program.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    pieces.push({ text: match[0], as: kind as Piece['as'] }); // The names of the groups.
    end = match.index + match[0].length;
  }
  return [...pieces, { text: program.slice(end) }];
}
