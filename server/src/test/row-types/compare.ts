import {
  type Checker,
  type Symbol as Property,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/sync';
import { countValues, type Shape } from './shape.ts';

const ANY_TYPE_FLAGS = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter;
const OBJECT_FLAGS = TypeFlags.Object | TypeFlags.Intersection | TypeFlags.NonPrimitive;
const FLAGS_BY_KIND: Record<string, TypeFlags> = {
  null: TypeFlags.Null,
  string: TypeFlags.StringLike,
  number: TypeFlags.NumberLike,
  boolean: TypeFlags.BooleanLike,
};

/** Returns the differences between an annotated type and the recorded rows. Empty if the type fits. */
export function compare(
  checker: Checker,
  type: Type,
  shape: Shape,
  isNullable: (column: string) => boolean,
): string[] {
  const problems: string[] = [];
  if (type.flags & TypeFlags.Any) return ['its rows are of type any'];
  checkValue([type], shape, '');
  return problems;

  function checkValue(types: readonly Type[], recordedShape: Shape, path: string): void {
    const members = types.flatMap(listMembers);
    if (members.some(({ flags }) => flags & ANY_TYPE_FLAGS)) return;
    const describeTypes = () => types.map(declaredType => checker.typeToString(declaredType)).join(' | ');
    for (const kind of Object.keys(recordedShape.kinds)) {
      const matchingMembers = members.filter(member => isOfKind(member, kind));
      if (matchingMembers.length === 0)
        problems.push(`${path || 'the value'} is ${kind}, not ${describeTypes()}`);
      else if (kind === 'string') checkLiterals(matchingMembers, recordedShape, path);
      else if (kind === 'array') checkItems(matchingMembers, recordedShape, path);
      else if (kind === 'object') checkProperties(matchingMembers, recordedShape, path);
    }
    const canBeNull = (recordedShape.columns ?? []).some(isNullable) && !recordedShape.kinds.null;
    if (canBeNull && !members.some(member => isOfKind(member, 'null'))) {
      problems.push(`${path} is a column that can be null, not ${describeTypes()}`);
    }
  }

  function isOfKind(member: Type, kind: string): boolean {
    const flags = FLAGS_BY_KIND[kind];
    if (flags !== undefined) return (member.flags & flags) !== 0;
    if (kind === 'array') return checker.isArrayType(member);
    if (kind === 'object') return (member.flags & OBJECT_FLAGS) !== 0 && !checker.isArrayType(member);
    return member.getSymbol()?.name === kind;
  }

  function checkLiterals(members: Type[], { strings = [] }: Shape, path: string): void {
    const literals = members.map(member => (member.isStringLiteralType() ? member.value : undefined));
    const unknownTexts = literals.includes(undefined) ? [] : strings.filter(text => !literals.includes(text));
    for (const text of unknownTexts) problems.push(`${path} is '${text}', which is none of its literals`);
  }

  function checkItems(members: Type[], { items }: Shape, path: string): void {
    const types = members.flatMap(member => checker.getTypeArguments(member as TypeReference));
    if (items) checkValue(types, items, `${path}[]`);
  }

  function checkProperties(members: Type[], recordedShape: Shape, path: string): void {
    const propertiesByName = members.map(
      member => new Map(checker.getPropertiesOfType(member).map(p => [p.name, p])),
    );
    const indexTypes = members
      .flatMap(member => checker.getIndexInfosOfType(member))
      .map(info => info.valueType);
    const names = new Set([
      ...propertiesByName.flatMap(p => [...p.keys()]),
      ...Object.keys(recordedShape.properties ?? {}),
    ]);
    for (const name of names) {
      const propertyPath = path === '' ? name : `${path}.${name}`;
      const symbols = propertiesByName.map(properties => properties.get(name));
      const property = recordedShape.properties?.[name];
      const valueCount = property ? countValues(property) : -1;
      if (valueCount < (recordedShape.kinds.object ?? 0) && symbols.every(isRequired))
        problems.push(`${propertyPath} is missing`);
      const types = [
        ...symbols.flatMap(symbol => (symbol && checker.getTypeOfSymbol(symbol)) ?? []),
        ...indexTypes,
      ];
      // A column that the annotation omits cannot be read by accident.
      if (property && types.length > 0) checkValue(types, property, propertyPath);
    }
  }
}

const isRequired = (property: Property | undefined): boolean =>
  property !== undefined && (property.flags & SymbolFlags.Optional) === 0;

const listMembers = (type: Type): readonly Type[] =>
  type.isUnionType() ? type.getTypes().flatMap(listMembers) : [type];

/** Returns whether the type describes a row. Otherwise it describes a value within a statement. */
export const isRow = (checker: Checker, type: Type): boolean =>
  listMembers(type).some(member => (member.flags & OBJECT_FLAGS) !== 0 && !checker.isArrayType(member));
