import { createHash } from 'node:crypto';
import { VERSION } from '../../version.ts';
import type { Reference } from './references.ts';

export type Rule = { id: string; level: 'error' | 'warning'; says: (flag: string) => string };

/** What is wrong with a reference in code. An active flag is fine. */
export const RULES: Record<Exclude<Reference['state'], 'active'>, Rule> = {
  unknown: {
    id: 'unknown-flag',
    level: 'error',
    says: flag => `The flag "${flag}" does not exist, so it is always disabled.`,
  },
  archived: {
    id: 'archived-flag',
    level: 'error',
    says: flag => `The flag "${flag}" is archived, so it is always disabled. Remove it from the code.`,
  },
  stale: {
    id: 'stale-flag',
    level: 'warning',
    says: flag => `The flag "${flag}" is stale. Remove it from the code.`,
  },
};

export const ruleOf = ({ state }: Reference): Rule | undefined =>
  state === 'active' ? undefined : RULES[state];

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */
export function asGitHub(findings: Reference[]): string {
  const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return findings
    .map(one => {
      const rule = ruleOf(one);
      return `::${rule?.level} file=${property(one.file)},line=${one.line},col=${one.column},title=${rule?.id}::${data(rule?.says(one.flag) ?? '')}`;
    })
    .join('\n');
}

/** SARIF 2.1.0. The fingerprint survives changes of other lines. */
export function asSarif(findings: Reference[]): object {
  const rules = Object.values(RULES);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'halyard',
            version: VERSION,
            rules: rules.map(({ id, level, says }) => ({
              id,
              shortDescription: { text: says('name') },
              defaultConfiguration: { level },
            })),
          },
        },
        results: findings.map(one => {
          const rule = ruleOf(one);
          const print = createHash('sha256')
            .update(`${one.flag}\0${one.file}\0${one.text.replace(/\s+/g, ' ')}`)
            .digest('hex');
          return {
            ruleId: rule?.id,
            ruleIndex: rules.findIndex(({ id }) => id === rule?.id),
            level: rule?.level,
            message: { text: rule?.says(one.flag) },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: {
                    uri: one.file.split('\\').join('/').split('/').map(encodeURIComponent).join('/'),
                  },
                  region: { startLine: one.line, startColumn: one.column },
                },
              },
            ],
            partialFingerprints: { 'halyard/v1': print },
          };
        }),
      },
    ],
  };
}
