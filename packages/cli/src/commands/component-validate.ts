// `cairn component validate`: everything that is wrong with a manifest, without a server.
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo } from '../io.ts';
import { checkManifestFile, problemLine } from '../manifest-file.ts';
import { openSession } from '../session.ts';

export function addComponentValidate(component: Command, io: CommandIo): void {
  component
    .command('validate <path>')
    .summary(
      'check a manifest: a JSON file, or a folder with component.json and manifest.json; ends with 1 where it is wrong',
    )
    .action(async (path: string, _flags: object, command: Command) => {
      const { print, say } = openSession(io, command);
      const { manifest: _, problems, warnings } = await checkManifestFile(io, path);
      for (const warning of warnings) say(`Warning: ${problemLine(warning)}`);
      const isValid = problems.length === 0;
      const people = isValid ? `${path} is a good manifest.` : problems.map(problemLine).join('\n');
      print({ valid: isValid, problems, warnings }, people);
      if (!isValid) io.setExitCode(EXIT.failed);
    });
}
