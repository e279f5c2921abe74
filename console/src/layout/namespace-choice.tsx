import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { resources } from '../api/kinds.ts';
import { listObjects } from '../api/objects.ts';
import { chooseNamespace, useScope } from '../api/scope.ts';

/** Of which namespace lists are. Who may not see which there are types the name of theirs. */
export function NamespaceChoice() {
  const { namespace = '' } = useScope();
  const { data, error } = useQuery({
    queryKey: ['namespaces'],
    queryFn: async () => (await listObjects(resources.namespaces)).map(({ metadata }) => metadata.name),
    staleTime: 30_000,
  });
  if (data === undefined) return error === null ? null : <NamespaceField key={namespace} namespace={namespace} />;
  const names = namespace === '' || data.includes(namespace) ? data : [...data, namespace];
  return (
    <select aria-label="Namespace" value={namespace} onChange={(event) => chooseNamespace(event.currentTarget.value)}>
      <option value="">All namespaces</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function NamespaceField({ namespace }: { readonly namespace: string }) {
  const [text, setText] = useState(namespace);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    chooseNamespace(text.trim());
  };
  return (
    <form className="namespace" onSubmit={submit}>
      <input
        type="search"
        aria-label="Namespace"
        placeholder="All namespaces"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" className="quiet">
        Look there
      </button>
    </form>
  );
}
