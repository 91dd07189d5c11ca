// The pages share a chunk, because each additional chunk makes the first load larger.
export { ProjectsPage } from './page.tsx';
export { ProjectSegmentsPage } from './Segments.tsx';
