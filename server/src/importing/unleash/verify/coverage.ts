import { readBatches, type Source, toText } from '../source/source.ts';

/** What a compared token can read. An empty list means all projects. */
export type CoveredScope = { environment: string; projects: string[] };

/** What exists in Unleash but was not compared. */
export type UncoveredItems = {
  /** Descriptions of environments in projects. */
  environments: string[];
  /** Names of segments that no compared flag uses. */
  segments: string[];
};

const ALL = '*';
/** The environment that SDKs read with a token for all environments. */
const DEFAULT_ENVIRONMENT = 'default';

/** Lists the project environments that no compared token covers, and the segments that Unleash sent for none of the tokens. */
export async function listUncovered(
  source: Source,
  scopes: CoveredScope[],
  sentSegments: ReadonlySet<number>,
): Promise<UncoveredItems> {
  const environments: string[] = [];
  const projectEnvironments = { table: 'project_environments', columns: ['project_id', 'environment_name'] };
  for await (const rows of readBatches(source, {
    ...projectEnvironments,
    orderBy: 'project_id, environment_name',
  }))
    for (const row of rows) {
      const [project, environment] = [toText(row.project_id), toText(row.environment_name)];
      if (!scopes.some(scope => covers(scope, project, environment)))
        environments.push(`${environment} in project ${project}`);
    }
  const segments: string[] = [];
  for await (const rows of readBatches(source, {
    table: 'segments',
    columns: ['id', 'name'],
    orderBy: 'name',
  }))
    for (const row of rows) if (!sentSegments.has(Number(row.id))) segments.push(toText(row.name));
  return { environments, segments };
}

const covers = ({ environment, projects }: CoveredScope, project: string, name: string): boolean =>
  (environment === name || (['', ALL].includes(environment) && name === DEFAULT_ENVIRONMENT)) &&
  (projects.length === 0 || projects.includes(ALL) || projects.includes(project));

/** Reads the environment and the project from a secret such as `*:production.…`. `[]` stands for several projects. */
export function parseScope(secret: string): CoveredScope | undefined {
  const [, project = '', environment = ''] = /^([^:]+):([^.]+)\./.exec(secret) ?? [];
  return project === '' || project === '[]' ? undefined : { environment, projects: [project] };
}
