import { command, limitOption } from '../../command.ts';
import { usageError } from '../../errors.ts';
import { formatList, sanitize } from '../../output.ts';
import { getData } from '../../requests.ts';

export const projectsHealth = command({
  name: 'projects health',
  brief: 'Show the health of a project, and what to clean up',
  description: 'With --min, it fails if the health is lower, for example in a nightly pipeline.',
  args: {
    project: {
      brief: "Id of the project. Default: HALYARD_PROJECT, or the profile's project",
      optional: true,
      complete: 'projects',
    },
  },
  options: {
    min: {
      type: 'integer',
      value: 'percent',
      min: 0,
      max: 100,
      brief: 'Exit with 10 if the health is lower',
    },
    limit: limitOption(1000, 50),
  },
  checks: true,
  calls: ['getProjectHealth'],
  output: 'ProjectHealth',
  examples: [{ does: 'Fail a pipeline below 80 %', run: 'projects health payments --min 80' }],
  page: (context, { project }) => `/projects/${encodeURIComponent(context.project(project))}/health`,
  run: async (context, { project }, { min, limit: max }) => {
    const id = context.projectIfSet(project);
    if (!id) throw usageError('No project was given.', 'Pass its id as an argument, or set HALYARD_PROJECT.');
    const path = { projectId: id };
    const report = await getData(
      context.read.GET('/api/admin/projects/{projectId}/health', {
        params: { path, query: { limit: max } },
      }),
    );
    if (min !== undefined && report.health < min) context.failCheck();
    return report;
  },
  text: ({ project, health, findings, total }, context) =>
    [
      `The health of project "${sanitize(project)}" is ${health} %.`,
      '',
      formatList(context, {
        header: ['flag', 'finding', 'points', 'what to do'],
        rows: findings.map(finding => [
          finding.feature ?? finding.segment?.name,
          finding.rule,
          finding.points,
          finding.remedy,
        ]),
        none: 'There is nothing to clean up.',
        total,
      }),
    ].join('\n'),
});
