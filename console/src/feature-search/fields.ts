import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMe } from '../api/me.ts';
import { candidatesQuery, findOwners, toOption } from '../features/owner-queries.ts';
import { segmentsQuery } from '../features/queries.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { allTagsQuery } from '../tags/queries.ts';
import { type FilterField, INCLUDES, IS_OR_NOT } from '../ui/filters.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { creatorsQuery, typesQuery } from './queries.ts';

/** Returns filter options. Names with a comma are omitted, because a comma separates the values of a filter. */
const toOptions = (names: readonly string[] | undefined) =>
  names?.filter(name => !name.includes(',')).map(value => ({ value }));

/**
 * Returns the filters of the flag list. The list of one project has no `project` filter. The names of all owners are needed only
 * for the chip of the `owner` filter.
 */
export function useFlagFields(withProject: boolean, withOwners: boolean): readonly FilterField[] {
  const projects = useQuery({ ...projectsQuery, enabled: withProject }).data;
  const types = useQuery(typesQuery).data?.types;
  const creators = useQuery(creatorsQuery).data;
  const userId = useMe().user.id;
  const environments = useQuery(environmentsQuery).data?.environments;
  const tags = useQuery(allTagsQuery).data;
  const segments = useQuery(segmentsQuery).data?.segments;
  const candidates = useQuery({ ...candidatesQuery, enabled: withOwners }).data;
  return useMemo(() => {
    const fields: FilterField[] = [
      {
        name: 'type',
        key: 'type',
        label: 'Type',
        operators: IS_OR_NOT,
        options: types?.map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        name: 'state',
        key: 'state',
        label: 'State',
        operators: IS_OR_NOT,
        options: [
          { value: 'active' },
          { value: 'potentially-stale', label: 'potentially stale' },
          { value: 'stale' },
        ],
        closed: true,
      },
      {
        name: 'lifecycle',
        key: 'stage',
        label: 'Lifecycle',
        operators: IS_OR_NOT,
        options: ['initial', 'pre-live', 'live', 'completed'].map(value => ({ value })),
      },
      {
        name: 'createdBy',
        key: 'by',
        label: 'By',
        operators: IS_OR_NOT,
        options: creators?.map(({ id, name }) => ({ value: String(id), label: name })),
      },
      {
        name: 'owner',
        key: 'owner',
        label: 'Owner',
        operators: IS_OR_NOT,
        options: [
          {
            value: 'none',
            label: 'no owner',
            chips: {
              is: { lead: 'Has', values: ['no owner'] },
              isNot: { lead: 'Has', values: ['an owner'] },
            },
          },
          { value: `user:${userId}`, label: 'me' },
          ...(candidates ?? []).map(toOption),
        ],
        closed: true,
        find: findOwners,
      },
      {
        name: 'tag',
        key: 'tag',
        label: 'Tag',
        operators: INCLUDES,
        options: toOptions(tags?.map(({ type, value }) => `${type}:${value}`)),
      },
      {
        name: 'segment',
        key: 'segment',
        label: 'Segment',
        operators: INCLUDES,
        options: toOptions(segments?.map(({ name }) => name)),
      },
      {
        name: 'createdAt',
        key: 'since',
        label: 'Created since',
        operators: { one: 'IS_ON_OR_AFTER' },
        kind: 'day',
      },
      {
        name: 'createdAt',
        key: 'before',
        label: 'Created before',
        operators: { one: 'IS_BEFORE' },
        kind: 'day',
      },
      {
        name: 'status',
        key: 'environment',
        label: 'Environment',
        operators: { one: '' },
        kind: 'status',
        options: environments?.map(({ name }) => ({ value: name })),
      },
      {
        name: 'archived',
        key: 'archived',
        label: 'Archived',
        operators: { one: 'IS' },
        options: [{ value: 'true', label: 'yes' }],
        closed: true,
      },
    ];
    const project: FilterField = {
      name: 'project',
      key: 'project',
      label: 'Project',
      operators: IS_OR_NOT,
      options: projects && toProjectOptions(projects),
    };
    return withProject ? [project, ...fields] : fields;
  }, [withProject, projects, types, creators, userId, environments, tags, segments, candidates]);
}
