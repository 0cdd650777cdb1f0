// Commits in the model, operation by operation, following the design.
import { addRecord } from './addition.ts';
import { renameRecord, retractRecord, reviseRecord } from './change.ts';
import { isPlaceholder, ModelDraft } from './draft.ts';
import { collectionName, type Expected, labelIn, type Outcome, type SentOperation } from './operation.ts';
import { Refusal } from './refusal.ts';

export class ModelCommit extends ModelDraft {
  apply(operation: SentOperation, opIndex: number): Expected {
    try {
      const { status, id } = this.#apply(operation, opIndex);
      const record = this.state.record(id);
      const name = this.state.nameOf(record);
      return { outcomes: [status], version: record.versions.length, ...(!isPlaceholder(name) && { name }) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#noteFailure(operation);
      return { outcomes: error.codes };
    }
  }

  #apply(operation: SentOperation, opIndex: number): Outcome {
    switch (operation.operation) {
      case 'add':
        return addRecord(this, operation, opIndex);
      case 'revise':
        return reviseRecord(this, operation);
      case 'retract':
        return retractRecord(this, operation);
      case 'rename':
        return renameRecord(this, operation);
    }
  }

  #noteFailure({ operation, name, newName, type }: SentOperation): void {
    const unmade = operation === 'rename' ? newName : operation === 'add' ? name : undefined;
    if (unmade === undefined) return;
    const label = labelIn(unmade);
    if (label === undefined) {
      const full = type === undefined ? unmade : collectionName(type, unmade);
      this.tokens.noteFailedName(full, this.state.find(full) !== undefined);
    } else if (operation === 'add') {
      this.tokens.noteFailedLabel(label);
    }
  }
}
