import { busNames, directGet } from '@halyard/plane/feed/bus.ts';
import type { Feed } from '@halyard/plane/snapshot/format.ts';
import { listStreamConfigs } from './streams.ts';

/** The account that owns the streams. Only servers and leaf nodes log in to it. */
const ACCOUNT = 'HALYARD';
/** The JetStream domain of the NATS servers that Halyard publishes to. */
const HUB_DOMAIN = 'hub';
const LEAF_PORT = 7_422;

/** A feed, and the public nkey of its edges. */
export type FeedAccount = { feed: Feed; user: string };

export type Region = {
  /** Also the name of its JetStream domain. */
  name: string;
  /** The URL at which the leaf node connects to the hub. */
  hub: string;
  /** The public nkey of the leaf node, and its seed. */
  user: string;
  seed: string;
};

const getAccountName = (feed: Feed): string => `FEED_${busNames(feed).id}`;

/** The subjects that the edges of a feed subscribe to, and the requests that they can send. */
const getGrants = (feed: Feed) => {
  const { frames, head, framesStream, snapshotStream } = busNames(feed);
  return { subjects: [frames, head], requests: [framesStream, snapshotStream].map(directGet) };
};

const quoteList = (texts: string[]): string => `[${texts.map(text => JSON.stringify(text)).join(', ')}]`;

const describe = ({ environment, projects }: Feed): string =>
  `environment ${JSON.stringify(environment)}, ${projects === null ? 'all projects' : `projects ${quoteList(projects)}`}`;

function formatExports({ feed }: FeedAccount): string[] {
  const { subjects, requests } = getGrants(feed);
  const recipients = `accounts: [${getAccountName(feed)}]`;
  return [
    ...subjects.map(subject => `      { stream: "${subject}", ${recipients} }`),
    // A batch is a stream of responses.
    ...requests.map(subject => `      { service: "${subject}", response_type: stream, ${recipients} }`),
  ];
}

function formatAccount({ feed, user }: FeedAccount): string {
  const { subjects, requests } = getGrants(feed);
  const from = (subject: string) => `{ account: ${ACCOUNT}, subject: "${subject}" }`;
  return `  # The edges of ${describe(feed)}
  ${getAccountName(feed)}: {
    users: [
      { nkey: ${user}, permissions: {
        publish: ${quoteList(requests)}
        subscribe: ${quoteList([...subjects, '_INBOX.>'])}
      } }
    ]
    imports: [
${[
  ...subjects.map(subject => `      { stream: ${from(subject)} }`),
  ...requests.map(subject => `      { service: ${from(subject)} }`),
].join('\n')}
    ]
  }`;
}

/**
 * The permissions of a leaf node on the hub: to create the consumers that feed its mirrors, to receive what those consumers and the
 * servers send, and nothing else. An attacker who takes over the leaf node cannot write to a stream or remove one.
 */
function formatLeafUser({ user }: Pick<Region, 'user'>, feeds: FeedAccount[]): string {
  const names = feeds.map(({ feed }) => busNames(feed));
  const createSubjects = names
    .flatMap(({ framesStream, snapshotStream }) => [framesStream, snapshotStream])
    .map(stream => `$JS.${HUB_DOMAIN}.API.CONSUMER.CREATE.${stream}`);
  return `{ nkey: ${user}, permissions: {
      publish: ${quoteList([...createSubjects, '$JS.FC.>'])}
      subscribe: ${quoteList([...names.flatMap(({ frames, head }) => [frames, head]), '$JS.M.*', '$JSC.R.*'])}
    } }`;
}

const formatUser = (user: string): string => `{ nkey: ${user} }`;

function formatAccounts(users: string[], feeds: FeedAccount[]): string {
  return `accounts: {
  # The streams. Halyard servers create them and publish to them.
  ${ACCOUNT}: {
    jetstream: enabled
    users: [${users.join(', ')}]
    exports: [
${feeds.flatMap(formatExports).join('\n')}
    ]
  }
${feeds.map(formatAccount).join('\n')}
}
`;
}

const formatJetstream = (domain: string): string => `# A snapshot is one message.
max_payload: 8MB
jetstream: {
  domain: ${domain}
  # An acknowledged message is on disk.
  sync_interval: always
}
`;

/** The part of the NATS server configuration that Halyard needs. Ports, TLS and the cluster are up to the operator. */
export const buildHubConfig = (
  publisher: string,
  feeds: FeedAccount[],
  regions: Pick<Region, 'user'>[],
): string =>
  `# Written by halyard nats-config. Include it in nats-server.conf, which sets ports, TLS, store_dir and the cluster.
${formatJetstream(HUB_DOMAIN)}${regions.length > 0 ? `leafnodes: { port: ${LEAF_PORT} }\n` : ''}${formatAccounts([formatUser(publisher), ...regions.map(region => formatLeafUser(region, feeds))], feeds)}`;

/**
 * Returns the configuration of a leaf node, which mirrors the streams and keeps working if the hub is unreachable. It contains a
 * secret, because nats-server does not read the seed from a file.
 */
export const buildLeafConfig = ({ name, hub, user, seed }: Region, feeds: FeedAccount[]): string =>
  `# Written by halyard nats-config. Include it in the nats-server.conf of region ${name}.
${formatJetstream(name)}leafnodes: {
  remotes: [{ url: ${JSON.stringify(hub)}, account: ${ACCOUNT}, nkey: ${seed} }]
}
${formatAccounts([formatUser(user)], feeds)}`;

/** The streams of a leaf node, which are copies of the hub's with the same names, so that edges need not know where they are. */
export const listMirrorConfigs = (feeds: Pick<FeedAccount, 'feed'>[]): { name: string }[] =>
  feeds
    .flatMap(({ feed }) => listStreamConfigs(busNames(feed), 1))
    .map(({ subjects: _, ...config }) => ({
      ...config,
      mirror: { name: config.name, external: { api: `$JS.${HUB_DOMAIN}.API`, deliver: '' } },
    }));
