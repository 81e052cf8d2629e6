import { useState } from 'preact/hooks';
import { useAction } from '../app/resource.js';
import { changeStatements, statements } from '../app/sql-statements.js';
import { mostNameLength, outlineOf, withoutSaved, withSaved } from '../logic/sql-statements.js';
import { visibleText } from '../logic/visible-text.js';
import { Button, Field, Form, Select, TextInput } from '../parts/form.js';
import { Problem } from '../parts/states.js';

interface StatementBarProps {
  statement: string;
  onSelect: (statement: string) => void;
}

/** The statements that have run, and those that are saved by name; both only in this browser. */
export function StatementBar({ statement, onSelect }: StatementBarProps) {
  const [name, setName] = useState('');
  const { history, saved } = statements.value;
  const current = saved.find((one) => one.statement === statement);
  const save = useAction(async () => {
    changeStatements((before) => withSaved(before, name.trim(), statement));
    setName('');
  });
  const canSave = !current && name.trim() !== '' && statement.trim() !== '';
  const remove = () => changeStatements((before) => withoutSaved(before, current!.name));
  return (
    <>
      <Form class="sql-bar" onSubmit={() => canSave && save.run()}>
        <Select
          name="History"
          isHidden
          value=""
          options={[
            ['', history.length === 0 ? 'No history' : `History (${history.length})`],
            ...history.map((text, i) => [i, visibleText(outlineOf(text))] as const),
          ]}
          onSelect={(index) => index !== '' && onSelect(history[Number(index)]!)}
        />
        <Select
          name="Saved statements"
          isHidden
          value={current ? saved.indexOf(current) : ''}
          options={[
            ['', saved.length === 0 ? 'Nothing saved' : `Saved (${saved.length})`],
            ...saved.map(({ name }, i) => [i, visibleText(name)] as const),
          ]}
          onSelect={(index) => index !== '' && onSelect(saved[Number(index)]!.statement)}
        />
        {current ? (
          <Button onClick={remove}>Delete the saved statement</Button>
        ) : (
          <>
            <Field name="Name to save under" isHidden>
              <TextInput value={name} placeholder="Name" maxLength={mostNameLength} onText={setName} />
            </Field>
            <button type="submit" disabled={!canSave}>
              Save
            </button>
          </>
        )}
      </Form>
      <Problem error={save.error} />
    </>
  );
}
