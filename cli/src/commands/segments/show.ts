import { command } from '../../command.ts';
import { notFoundError } from '../../errors.ts';
import { formatFields, sanitize } from '../../output.ts';
import { getData } from '../../requests.ts';

export const segmentsShow = command({
  name: 'segments show',
  brief: 'Show a segment with its constraints',
  args: { segment: { brief: 'Name or id of the segment' } },
  calls: ['getSegments'],
  output: 'Segment',
  examples: [{ does: 'Show a segment', run: 'segments show beta-testers' }],
  run: async (context, { segment }) => {
    const { segments } = await getData(context.read.GET('/api/admin/segments'));
    const match =
      segments.find(({ name }) => name === segment) ?? segments.find(({ id }) => String(id) === segment);
    if (!match)
      throw notFoundError(
        `There is no segment ${JSON.stringify(segment)}, or you do not have access to it.`,
        'Run halyard segments list to find it.',
      );
    return match;
  },
  text: (segment, context) =>
    [
      formatFields(context, {
        Id: segment.id,
        Name: segment.name,
        Description: segment.description,
        Project: segment.project ?? 'all',
        'Used by': `${segment.usedInFeatures} flags`,
      }),
      '',
      segment.constraints.length === 0
        ? 'It has no constraints, so it contains everybody.'
        : 'Constraints, which must all match:',
      ...segment.constraints.map(
        ({ contextName, operator, inverted, values, value }) =>
          `  ${sanitize(`${contextName} ${inverted ? 'not ' : ''}${operator} ${values?.join(', ') || (value ?? '')}`)}`,
      ),
    ].join('\n'),
});
