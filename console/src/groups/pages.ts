export { GroupPage, NewGroupPage } from './group.tsx';
export { GroupsPage } from './list.tsx';
