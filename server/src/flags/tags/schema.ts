import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  UrlName,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Tag as EventTag } from '../../record/events/schema.ts';

const version = Type.Integer({ description: 'Version of the response format', examples: [1] });
const typeName = (options: object) => UrlName({ minLength: 2, maxLength: 50, ...options });
const name = typeName({
  description: 'Name of the tag type, the part of a tag before the colon',
  examples: ['team'],
});
const description = Nullable.String({
  description: 'Description of the tag type',
  maxLength: 1_000,
  examples: ['The team that maintains the flag'],
});
const icon = Nullable.String({
  maxLength: 255,
  description: 'Icon that the UI shows with the tag',
  examples: ['T'],
});
const color = Nullable.String({
  maxLength: 7,
  pattern: '^#[0-9A-Fa-f]{6}$',
  'x-rule': 'must be a color such as #1A2B3C',
  description: 'Color of the tag, as #RRGGBB',
  examples: ['#1A2B3C'],
});

export const TagType = SharedObject('TagType', 'A tag type', {
  name: Type.String({ description: 'Name of the tag type', examples: ['team'] }),
  description,
  icon,
  color,
});
export type TagType = Static<typeof TagType>;

export const TagTypeList = SharedObject('TagTypeList', { version, tagTypes: Type.Array(Ref(TagType)) });
export const OneTagType = SharedObject('OneTagType', { version, tagType: Ref(TagType) });
export const ValidTagType = SharedObject('ValidTagType', {
  valid: Type.Boolean({ description: 'Always true: an invalid tag type is rejected', examples: [true] }),
  tagType: Ref(TagType),
});

export const NewTagType = NamedObject(
  'NewTagType',
  {
    name,
    description: Type.Optional(description),
    icon: Type.Optional(icon),
    color: Type.Optional(color),
  },
  { examples: [{ name: 'team', description: 'The team that maintains the flag', color: '#1A2B3C' }] },
);
export type NewTagType = Static<typeof NewTagType>;

export const TagTypeUpdate = NamedObject(
  'TagTypeUpdate',
  { description: Type.Optional(description), icon: Type.Optional(icon), color: Type.Optional(color) },
  { examples: [{ description: 'The team to ask', color: '#1A2B3C' }] },
);
export type TagTypeUpdate = Static<typeof TagTypeUpdate>;

export const Tag = EventTag;
export type Tag = Static<typeof Tag>;

export const TagList = SharedObject('TagList', { version, tags: Type.Array(Ref(Tag)) });
export const OneTag = SharedObject('OneTag', { version, tag: Ref(Tag) });

export const NewTag = NamedObject(
  'NewTag',
  {
    type: typeName({ description: 'Name of a tag type', examples: ['simple'] }),
    value: Type.String({
      minLength: 2,
      maxLength: 200,
      description: '2 to 50 characters after trimming',
      examples: ['checkout'],
    }),
  },
  { examples: [{ type: 'simple', value: 'checkout' }] },
);
export type NewTag = Static<typeof NewTag>;

const addedTags = Optional.Array(NewTag, {
  maxItems: 20,
  description: 'Tags to attach. New tags are created.',
});
const removedTags = Optional.Array(
  NamedObject('RemovedTag', {
    type: Type.String({ description: 'Name of the tag type', maxLength: 50, examples: ['simple'] }),
    value: Type.String({ description: 'Value of the tag', maxLength: 200, examples: ['old'] }),
  }),
  { maxItems: 20, description: 'Tags to remove. Tags that a feature does not have are ignored.' },
);
const example = { addedTags: [{ type: 'simple', value: 'checkout' }], removedTags: [] };

export const TagChange = NamedObject(
  'TagChange',
  { addedTags, removedTags },
  { description: 'Tags to attach and to remove', examples: [example] },
);
export type TagChange = Static<typeof TagChange>;

export const TagsOfFeatures = NamedObject(
  'TagsOfFeatures',
  {
    features: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      description: 'Names of the features',
      minItems: 1,
      maxItems: 1_000,
      examples: [['checkout-v2', 'dark-mode']],
    }),
    tags: TagChange,
  },
  { examples: [{ features: ['checkout-v2', 'dark-mode'], tags: example }] },
);
