// One chunk for both pages: each further chunk makes the first load larger.
export { ProjectsPage } from './page.tsx';
export { ProjectSegmentsPage } from './Segments.tsx';
