import { command } from '../../command.ts';
import { notFound } from '../../errors.ts';
import { fields, plain } from '../../output.ts';
import { data } from '../../requests.ts';

export const segmentsShow = command({
  name: 'segments show',
  brief: 'Show a segment with its constraints',
  args: { segment: { brief: 'Name or id of the segment' } },
  calls: ['getSegments'],
  output: 'Segment',
  examples: [{ does: 'Show a segment', run: 'segments show beta-testers' }],
  run: async (context, { segment }) => {
    const { segments } = await data(context.read.GET('/api/admin/segments'));
    const found =
      segments.find(one => one.name === segment) ?? segments.find(one => String(one.id) === segment);
    if (!found)
      throw notFound(
        `There is no segment ${JSON.stringify(segment)}, or you may not see it.`,
        'Run halyard segments list to find it.',
      );
    return found;
  },
  text: (one, context) =>
    [
      fields(context, {
        Id: one.id,
        Name: one.name,
        Description: one.description,
        Project: one.project ?? 'all',
        'Used by': `${one.usedInFeatures} flags`,
      }),
      '',
      one.constraints.length === 0
        ? 'It has no constraints, so it contains everybody.'
        : 'Constraints, which must all match:',
      ...one.constraints.map(
        ({ contextName, operator, inverted, values, value }) =>
          `  ${plain(`${contextName} ${inverted ? 'not ' : ''}${operator} ${values?.join(', ') || (value ?? '')}`)}`,
      ),
    ].join('\n'),
});
