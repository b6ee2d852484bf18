package dev.ebb.cli.option;

import dev.ebb.nn.model.ModelSize;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The size of a model on the command line: tiny, 4x128x4. */
public final class SizeText implements ITypeConverter<ModelSize> {
    @Override
    public ModelSize convert(String text) {
        try {
            return ModelSize.of(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
