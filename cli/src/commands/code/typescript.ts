import type { schemas } from '../../api/api.gen.ts';

export type TypedFlag = {
  name: string;
  description: string;
  stale: boolean;
  variants: string[];
  payloads: string[];
};

/**
 * Returns what code needs to know about a flag. Variants can differ between environments and strategies, and code may get any variant.
 */
export function toTypedFlag({ name, description = '', stale, environments }: schemas['Feature']): TypedFlag {
  const allVariants = environments.flatMap(environment => [
    ...environment.variants,
    ...environment.strategies.flatMap(strategy => strategy.variants),
  ]);
  return {
    name,
    description,
    stale,
    variants: [...new Set(allVariants.map(variant => variant.name))].toSorted(),
    payloads: [...new Set(allVariants.map(variant => variant.payload?.type ?? 'none'))].toSorted(),
  };
}

/** Escapes a description so that it cannot close the comment. */
const escapeComment = (text: string): string => text.replaceAll('*/', '*\u200b/').replace(/\s+/g, ' ').trim();

function formatComment(notes: string[]): string[] {
  if (notes.length < 2) return notes.map(note => `  /** ${note} */`);
  return ['  /**', ...notes.map(note => `   * ${note}`), '   */'];
}

export function formatTypeScript(flags: TypedFlag[], source: string): string {
  const entries = flags.flatMap(({ name, description, stale, variants }) => {
    // Each note has its own line, because editors recognize a tag only at the beginning of a line.
    const notes = [
      escapeComment(description),
      stale ? '@deprecated This flag is stale. Remove it from the code.' : '',
    ];
    return [
      ...formatComment(notes.filter(Boolean)),
      `  ${JSON.stringify(name)}: ${variants.map(variant => JSON.stringify(variant)).join(' | ') || 'never'};`,
    ];
  });
  return `// Written by \`halyard types\` from ${source}. Do not edit.

/** Every flag with the names of its variants. */
export interface Flags {
${entries.join('\n')}
}

/** The name of an existing flag. A misspelled name does not compile. */
export type FlagName = keyof Flags;

/** An SDK client that accepts only the names of existing flags: \`const flags = client as Typed<typeof client>\`. */
export type Typed<Client> = Omit<Client, 'isEnabled' | 'getVariant'> & {
  isEnabled(name: FlagName, ...rest: Rest<Client, 'isEnabled'>): boolean;
  getVariant<Name extends FlagName>(
    name: Name,
    ...rest: Rest<Client, 'getVariant'>
  ): Omit<Result<Client, 'getVariant'>, 'name'> & { name: Flags[Name] | 'disabled' };
};

type Rest<Client, Key extends string> =
  Client extends Record<Key, (name: never, ...rest: infer R) => unknown> ? R : never;
type Result<Client, Key extends string> =
  Client extends Record<Key, (...all: never[]) => infer R> ? R : never;
`;
}

/** Returns the flag's type in OpenFeature, and the value that code gets while the flag is disabled. */
function openFeatureType({ payloads: payloadTypes }: TypedFlag): { flagType: string; defaultValue: unknown } {
  const payloads = payloadTypes.filter(type => type !== 'none');
  if (payloads.length === 0) return { flagType: 'boolean', defaultValue: false };
  if (payloads.every(type => type === 'json')) return { flagType: 'object', defaultValue: {} };
  if (payloads.every(type => type === 'number')) return { flagType: 'float', defaultValue: 0 };
  return { flagType: 'string', defaultValue: '' };
}

/** Returns the manifest from which the OpenFeature CLI generates code. */
export function formatManifest(flags: TypedFlag[]): string {
  const entries = flags.map(flag => [
    flag.name,
    { ...openFeatureType(flag), ...(flag.description && { description: flag.description }) },
  ]);
  const manifest = {
    $schema: 'https://raw.githubusercontent.com/open-feature/cli/main/schema/v0/flag-manifest.json',
    flags: Object.fromEntries(entries),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
