import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';

interface VersionChoiceProps {
  readonly latest: number;
  readonly version: number;
  readonly against: number;
}

/** Which two versions are compared. */
export function VersionChoice({ latest, version, against }: VersionChoiceProps) {
  const navigate = useNavigate({ from: '/$orgName/$repoName/shapes/$shapeName' });
  const choose = (chosen: { version?: number; against?: number }) =>
    void navigate({
      search: (before) => ({ ...before, version, against, ...chosen }),
      replace: true,
      resetScroll: false,
    });
  return (
    <div className="version-choice">
      <Versions
        label="From version"
        latest={latest}
        value={against}
        onChoose={(chosen) => choose({ against: chosen })}
      />
      <Versions label="to version" latest={latest} value={version} onChoose={(chosen) => choose({ version: chosen })} />
    </div>
  );
}

interface VersionsProps {
  readonly label: string;
  readonly latest: number;
  readonly value: number;
  readonly onChoose: (version: number) => void;
}

function Versions({ label, latest, value, onChoose }: VersionsProps) {
  const id = useId();
  const versions = Array.from({ length: latest }, (_, index) => latest - index);
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(Number(event.target.value))}>
        {versions.map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </>
  );
}
