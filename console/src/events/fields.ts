import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { type FilterField, IS } from '../ui/filters.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { creatorsQuery, eventTypesQuery, findFlags } from './queries.ts';

/** Returns the event log's filters. The log of one project has no `project` filter. */
export function useEventFields(withProject: boolean): readonly FilterField[] {
  const projects = useQuery({ ...projectsQuery, enabled: withProject }).data;
  const types = useQuery(eventTypesQuery).data?.eventTypes;
  const creators = useQuery(creatorsQuery).data;
  const environments = useQuery(environmentsQuery).data?.environments;
  return useMemo(() => {
    const fields: FilterField[] = [
      {
        name: 'feature',
        key: 'flag',
        label: 'Flag',
        operators: IS,
        mono: true,
        find: findFlags,
        findsByText: true,
      },
      {
        name: 'type',
        key: 'type',
        label: 'Type',
        operators: IS,
        options: types?.filter(({ emitted }) => emitted).map(({ type, label }) => ({ value: type, label })),
      },
      {
        name: 'createdBy',
        key: 'by',
        label: 'By',
        operators: IS,
        options: creators?.map(({ id, name }) => ({ value: String(id), label: name })),
      },
      {
        name: 'environment',
        key: 'environment',
        label: 'Environment',
        operators: IS,
        options: environments?.map(({ name }) => ({ value: name })),
      },
      { name: 'from', key: 'since', label: 'since (UTC)', operators: { one: 'IS' }, kind: 'day' },
      { name: 'to', key: 'until', label: 'until (UTC)', operators: { one: 'IS' }, kind: 'day' },
      { name: 'groupId', key: 'group', label: 'Group', operators: IS, mono: true },
    ];
    const project: FilterField = {
      name: 'project',
      key: 'project',
      label: 'Project',
      operators: IS,
      options: projects && toProjectOptions(projects),
    };
    return withProject ? [project, ...fields] : fields;
  }, [withProject, projects, types, creators, environments]);
}

const FILTER_NAMES = [
  'query',
  'feature',
  'project',
  'type',
  'createdBy',
  'environment',
  'id',
  'groupId',
  'from',
  'to',
];

/** Returns the API query: the URL's parameters without those that only the page uses. */
export function toApiQuery(
  search: Record<string, string | string[] | undefined>,
  projectId: string | undefined,
) {
  const filters = Object.fromEntries(
    FILTER_NAMES.flatMap(name => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
  return projectId === undefined ? filters : { ...filters, project: `IS:${projectId}` };
}
