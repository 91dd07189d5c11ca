import { command } from '../../command.ts';
import { formatList } from '../../output.ts';
import { getData } from '../../requests.ts';

export const segmentsList = command({
  name: 'segments list',
  brief: 'List segments',
  calls: ['getSegments'],
  output: 'SegmentList',
  examples: [{ does: 'All segments that you can see', run: 'segments list' }],
  page: () => '/admin/segments',
  run: async context => await getData(context.read.GET('/api/admin/segments')),
  text: ({ segments }, context) =>
    formatList(context, {
      header: ['id', 'name', 'project', 'flags', 'constraints', 'description'],
      rows: segments.map(segment => [
        segment.id,
        segment.name,
        segment.project ?? 'all',
        segment.usedInFeatures,
        segment.constraints.length,
        segment.description,
      ]),
      none: 'There are no segments.',
    }),
});
