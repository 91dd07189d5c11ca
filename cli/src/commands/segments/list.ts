import { command } from '../../command.ts';
import { list } from '../../output.ts';
import { data } from '../../requests.ts';

export const segmentsList = command({
  name: 'segments list',
  brief: 'List segments',
  calls: ['getSegments'],
  output: 'SegmentList',
  examples: [{ does: 'All segments that you may see', run: 'segments list' }],
  page: () => '/admin/segments',
  run: async context => await data(context.read.GET('/api/admin/segments')),
  text: ({ segments }, context) =>
    list(context, {
      header: ['id', 'name', 'project', 'flags', 'constraints', 'description'],
      rows: segments.map(one => [
        one.id,
        one.name,
        one.project ?? 'all',
        one.usedInFeatures,
        one.constraints.length,
        one.description,
      ]),
      none: 'There are no segments.',
    }),
});
