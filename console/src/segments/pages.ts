export { SegmentsPage } from './list.tsx';
export { NewSegmentPage } from './new.tsx';
export { SegmentPage } from './segment.tsx';
