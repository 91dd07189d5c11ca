// How to read data from products that try the rules of a flag in order until one matches.
import type { TSchema } from 'typebox';
import { readFlagsmith } from '../src/importing/flagsmith/read.ts';
import { EnvironmentDocument } from '../src/importing/flagsmith/schema.ts';
import { readFlipt } from '../src/importing/flipt/read.ts';
import { Namespaces } from '../src/importing/flipt/schema.ts';
import { fetchGrowthBook } from '../src/importing/growthbook/fetch.ts';
import { readGrowthBook } from '../src/importing/growthbook/read.ts';
import { Organization } from '../src/importing/growthbook/schema.ts';
import { fetchLaunchDarkly } from '../src/importing/launchdarkly/fetch.ts';
import { readLaunchDarkly } from '../src/importing/launchdarkly/read.ts';
import { Project } from '../src/importing/launchdarkly/schema.ts';
import type { Flag } from '../src/importing/rules/model.ts';

export type ProductSource = {
  name: string;
  /** Where to get the data, for --help. */
  help: string;
  /** The format of files. A YAML file can have several documents. */
  format: 'JSON' | 'YAML';
  schema: TSchema;
  /** Reads data that matches the schema. A file with a single environment may lack its name, so the caller passes the name. */
  readFlags: (data: unknown, environment: string | undefined) => Flag[];
  hasOneEnvironment?: boolean;
  /** Reads the data from the API. Undefined if only a file can be imported. */
  api?: {
    url: string;
    needsProject: boolean;
    token: string;
    fetchData: (url: string, token: string, project: string | undefined) => Promise<unknown>;
  };
};

export const PRODUCTS = {
  launchdarkly: {
    name: 'LaunchDarkly',
    help: 'Name a file that --save wrote, or use --token and --from-project.',
    format: 'JSON',
    schema: Project,
    readFlags: data => readLaunchDarkly(data as Project),
    api: {
      url: 'https://app.launchdarkly.com',
      needsProject: true,
      token: 'an access token with the Reader role',
      fetchData: (url, token, project = '') => fetchLaunchDarkly(url, token, project),
    },
  },
  flagsmith: {
    name: 'Flagsmith',
    help: `Name a file with an environment document and, with --environment, the Halyard environment:
curl -H "X-Environment-Key: ser.…" https://edge.api.flagsmith.com/api/v1/environment-document/ > flags.json`,
    format: 'JSON',
    schema: EnvironmentDocument,
    readFlags: (data, environment) => {
      const document = data as EnvironmentDocument;
      return readFlagsmith(document, environment ?? document.name?.toLowerCase() ?? 'production');
    },
    hasOneEnvironment: true,
  },
  growthbook: {
    name: 'GrowthBook',
    help: 'Name a file that --save wrote, or use --token.',
    format: 'JSON',
    schema: Organization,
    readFlags: data => readGrowthBook(data as Organization),
    api: {
      url: 'https://api.growthbook.io',
      needsProject: false,
      token: 'a secret API key with read-only access',
      fetchData: fetchGrowthBook,
    },
  },
  flipt: {
    name: 'Flipt',
    help: `Name a file that flipt export wrote, or a features.yaml of Flipt 2. A namespace becomes an environment:
flipt export --namespaces default > flags.yaml
and then --environment default=production`,
    format: 'YAML',
    schema: Namespaces,
    readFlags: data => readFlipt(data as Namespaces),
  },
} satisfies Record<string, ProductSource>;

export type Product = keyof typeof PRODUCTS;
export const isProduct = (name: string | undefined): name is Product => Object.hasOwn(PRODUCTS, name ?? '');

/** Parses the content of a file. If it does not have the format, throws an error with the reason. */
export async function parseFile(text: string, format: ProductSource['format']): Promise<unknown> {
  if (format === 'JSON') return JSON.parse(text);
  const { parseAllDocuments } = await import('yaml');
  // Flipt exports several namespaces as JSON objects one after the other.
  const documents = parseAllDocuments(text.replace(/\n(?=\{)/g, '\n---\n'));
  return documents.flatMap(document => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() ?? [];
  });
}
