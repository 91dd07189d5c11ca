import { createHash } from 'node:crypto';
import { VERSION } from '../../version.ts';
import type { Reference } from './references.ts';

export type Rule = { id: string; level: 'error' | 'warning'; says: (flag: string) => string };

/** The problems of references in code. A reference to an active flag has none. */
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

export const findRule = ({ state }: Reference): Rule | undefined =>
  state === 'active' ? undefined : RULES[state];

/** Formats findings as https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */
export function formatGitHub(findings: Reference[]): string {
  const escapeData = (text: string) =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return findings
    .map(finding => {
      const rule = findRule(finding);
      return `::${rule?.level} file=${escapeProperty(finding.file)},line=${finding.line},col=${finding.column},title=${rule?.id}::${escapeData(rule?.says(finding.flag) ?? '')}`;
    })
    .join('\n');
}

/** Formats findings as SARIF 2.1.0. The fingerprint stays the same when other lines change. */
export function formatSarif(findings: Reference[]): object {
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
        results: findings.map(finding => {
          const rule = findRule(finding);
          const fingerprint = createHash('sha256')
            .update(`${finding.flag}\0${finding.file}\0${finding.text.replace(/\s+/g, ' ')}`)
            .digest('hex');
          return {
            ruleId: rule?.id,
            ruleIndex: rules.findIndex(({ id }) => id === rule?.id),
            level: rule?.level,
            message: { text: rule?.says(finding.flag) },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: {
                    uri: finding.file.split('\\').join('/').split('/').map(encodeURIComponent).join('/'),
                  },
                  region: { startLine: finding.line, startColumn: finding.column },
                },
              },
            ],
            partialFingerprints: { 'halyard/v1': fingerprint },
          };
        }),
      },
    ],
  };
}
