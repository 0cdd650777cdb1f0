import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toNewRepository, toOrganization } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { NameField } from '../../ui/field.tsx';
import { Page, SignInFirst } from '../../ui/page.tsx';
import { ABOUT_NOTHING, AboutFields, newAbout } from './about-fields.tsx';

export function NewOrganization() {
  const { data: person } = useQuery(whoami);
  return (
    <Page title="New organization">
      <p>
        An organization holds repositories and the people who work on them. You become its owner. You already have a
        personal organization with your handle.
      </p>
      {person?.kind === 'anonymous' && <SignInFirst what="create an organization" />}
      {person !== undefined &&
        'createsOrganizations' in person &&
        (person.createsOrganizations ? <OrganizationForm /> : <NotYours own={person.handle} />)}
    </Page>
  );
}

const NotYours = ({ own }: { own: string }) => (
  <p className="not-permitted">
    On this server, only operators can create organizations. Ask an operator for a new one. In{' '}
    <Link {...toOrganization(own)}>your own, {own},</Link> you can{' '}
    <Link {...toNewRepository(own)}>create repositories</Link> and invite people at any time.
  </p>
);

function OrganizationForm() {
  const { invalidate, navigate, say } = useFollowUp();
  const { form, field } = useForm(
    { name: '', ...ABOUT_NOTHING },
    {
      run: ({ name, ...about }) => client.org.create(name, newAbout(about)),
      taken: '/name',
      done: async (_made, { name }) => {
        await invalidate(['organizations'], ['whoami']);
        await navigate(toOrganization(name));
        say({ text: `The organization ${name} was created. You are its owner.` });
      },
    },
  );
  return (
    <ActionForm label="New organization" action="Create organization" doing="Creating…" {...form}>
      <NameField
        of="organization"
        label="Name"
        isRequired
        hint="1 to 39 of a-z, 0-9 and -. Used in addresses and in the names of its repositories."
        {...field('name')}
      />
      <AboutFields field={field} />
    </ActionForm>
  );
}
