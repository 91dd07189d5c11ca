import {
  type Checker,
  type Symbol as Property,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/sync';
import { type Shape, timesSeen } from './shape.ts';

const ANYTHING = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter;
const OBJECT = TypeFlags.Object | TypeFlags.Intersection | TypeFlags.NonPrimitive;
const FLAGS: Record<string, TypeFlags> = {
  null: TypeFlags.Null,
  string: TypeFlags.StringLike,
  number: TypeFlags.NumberLike,
  boolean: TypeFlags.BooleanLike,
};

/** The differences between an annotated type and the recorded rows. Empty if the type fits. */
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

  function checkValue(types: readonly Type[], seen: Shape, path: string): void {
    const members = types.flatMap(membersOf);
    if (members.some(({ flags }) => flags & ANYTHING)) return;
    const written = () => types.map(one => checker.typeToString(one)).join(' | ');
    for (const kind of Object.keys(seen.kinds)) {
      const fitting = members.filter(member => isOfKind(member, kind));
      if (fitting.length === 0) problems.push(`${path || 'the value'} is ${kind}, not ${written()}`);
      else if (kind === 'string') checkLiterals(fitting, seen, path);
      else if (kind === 'array') checkItems(fitting, seen, path);
      else if (kind === 'object') checkProperties(fitting, seen, path);
    }
    const canBeNull = (seen.columns ?? []).some(isNullable) && !seen.kinds.null;
    if (canBeNull && !members.some(member => isOfKind(member, 'null'))) {
      problems.push(`${path} is a column that can be null, not ${written()}`);
    }
  }

  function isOfKind(member: Type, kind: string): boolean {
    const flags = FLAGS[kind];
    if (flags !== undefined) return (member.flags & flags) !== 0;
    if (kind === 'array') return checker.isArrayType(member);
    if (kind === 'object') return (member.flags & OBJECT) !== 0 && !checker.isArrayType(member);
    return member.getSymbol()?.name === kind;
  }

  function checkLiterals(members: Type[], { strings = [] }: Shape, path: string): void {
    const literals = members.map(member => (member.isStringLiteralType() ? member.value : undefined));
    const others = literals.includes(undefined) ? [] : strings.filter(text => !literals.includes(text));
    for (const text of others) problems.push(`${path} is '${text}', which is none of its literals`);
  }

  function checkItems(members: Type[], { items }: Shape, path: string): void {
    const types = members.flatMap(member => checker.getTypeArguments(member as TypeReference));
    if (items) checkValue(types, items, `${path}[]`);
  }

  function checkProperties(members: Type[], seen: Shape, path: string): void {
    const annotated = members.map(
      member => new Map(checker.getPropertiesOfType(member).map(p => [p.name, p])),
    );
    const others = members.flatMap(member => checker.getIndexInfosOfType(member)).map(info => info.valueType);
    const names = new Set([...annotated.flatMap(p => [...p.keys()]), ...Object.keys(seen.properties ?? {})]);
    for (const name of names) {
      const at = path === '' ? name : `${path}.${name}`;
      const symbols = annotated.map(properties => properties.get(name));
      const property = seen.properties?.[name];
      const times = property ? timesSeen(property) : -1;
      if (times < (seen.kinds.object ?? 0) && symbols.every(isRequired)) problems.push(`${at} is missing`);
      const types = [
        ...symbols.flatMap(symbol => (symbol && checker.getTypeOfSymbol(symbol)) ?? []),
        ...others,
      ];
      // A column that the annotation omits cannot be read by accident.
      if (property && types.length > 0) checkValue(types, property, at);
    }
  }
}

const isRequired = (property: Property | undefined): boolean =>
  property !== undefined && (property.flags & SymbolFlags.Optional) === 0;

const membersOf = (type: Type): readonly Type[] =>
  type.isUnionType() ? type.getTypes().flatMap(membersOf) : [type];

/** Whether the type describes a row. Otherwise it describes a value within a statement. */
export const isRow = (checker: Checker, type: Type): boolean =>
  membersOf(type).some(member => (member.flags & OBJECT) !== 0 && !checker.isArrayType(member));
